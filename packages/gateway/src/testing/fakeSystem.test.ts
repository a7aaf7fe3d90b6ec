import { describe, expect, it } from 'vitest';
import { createFakeSystem } from './fakeSystem.ts';
import { readLog } from './logTrial.ts';
import { NameError } from '../machine/names.ts';
import { Secret } from '../vault/secret.ts';

const files = (text: string) => [{ path: 'nginx.conf', text }];

describe('createFakeSystem', () => {
  it('refuses configurations for as long as it is told to', async () => {
    const { ingress } = createFakeSystem();
    await ingress.apply(files(`good ${ingress.layout.generationMark}`));
    const relent = ingress.rejectWhen(([main]) => (main?.text.includes('bad') ? { message: 'bad', line: 1 } : null));
    expect(await ingress.apply(files('bad'))).toEqual({ ok: false, faults: [{ message: 'bad', line: 1 }] });
    expect(ingress.served()).toEqual({ generation: 1, files: files('good 1') });
    relent();
    expect(await ingress.apply(files('bad'))).toMatchObject({ ok: true });
  });

  it('tells of damage until the next configuration, and remembers what was cut', async () => {
    const { ingress, openConnections } = createFakeSystem();
    await ingress.apply(files('good'));
    let alarms = 0;
    const forget = ingress.onDamage(() => {
      alarms += 1;
    });
    ingress.damage();
    expect([alarms, await ingress.intact()]).toEqual([1, false]);
    await ingress.apply(files('good'));
    expect(await ingress.intact()).toBe(true);
    forget();
    ingress.damage();
    expect(alarms).toBe(1);
    expect(await openConnections.cut([{ kind: 'public', port: 20_000 }], openConnections.closing())).toBe(1);
    openConnections.refuse(true);
    expect(await openConnections.cut([], openConnections.closing())).toBeNull();
    expect(openConnections.cuts).toEqual([[{ kind: 'public', port: 20_000 }], []]);
  });

  it('hands pushed lines to those who read and those who wait', async () => {
    const { logs } = createFakeSystem();
    const key = { kind: 'http', id: 1 } as const;
    const waiting = await readLog(logs, key);
    const [first] = logs.push(key, ['one', 'two']);
    logs.push({ kind: 'domain', id: 1 }, ['other']);
    expect(waiting.batches).toEqual([[], ['one', 'two']]);
    const resumed = await readLog(logs, key, { afterId: first?.id ?? '' });
    expect([resumed.resumed, resumed.batches]).toEqual([true, [['two']]]);
    const last = await readLog(logs, key, { count: 1, afterId: 'unknown' });
    expect([last.resumed, last.batches]).toEqual([false, [['two']]]);
  });

  it('knows the names that it was told, and addresses', async () => {
    const { names } = createFakeSystem();
    names.set('app', ['192.0.2.1', '192.0.2.2']);
    expect(await names.resolve('app')).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(await names.resolve('192.0.2.7')).toEqual(['192.0.2.7']);
    await expect(names.resolve('else')).rejects.toThrow(NameError);
  });

  it('has certificates that differ by their names, a vault, and says that there is no tunnel', async () => {
    const { certificates, vault, tunnel } = createFakeSystem();
    const [one, two] = await Promise.all([['a.test'], ['b.test']].map((each) => certificates.ensureSelfSigned(each)));
    expect(one?.fingerprint256).toMatch(/^([\dA-F]{2}:){31}[\dA-F]{2}$/);
    expect(one?.fingerprint256).not.toBe(two?.fingerprint256);
    expect(vault.open(vault.seal(new Secret('x'))).reveal()).toBe('x');
    expect(tunnel.status()).toMatchObject({ available: false, reason: 'There is no tunnel in memory.' });
  });
});
