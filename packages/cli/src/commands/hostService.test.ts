import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { FakeMachine } from '../testing/fakeMachine.ts';
import { testHost } from '../testing/testHost.ts';

let at: Awaited<ReturnType<typeof testHost>>;
let machine: FakeMachine;

beforeEach(async () => {
  at = await testHost();
  ({ machine } = at);
  expect((await at.login()).code).toBe(0);
});

describe('service', () => {
  beforeEach(() => {
    machine.unitDirectory = mkdtempSync(join(tmpdir(), 'sallyport-units-'));
    return () => rmSync(machine.unitDirectory, { recursive: true });
  });

  it('is installed, looked at and removed', async () => {
    expect((await at.run(['service', 'install'])).code).toBe(0);
    const unit = readFileSync(join(machine.unitDirectory, 'sallyport.service'), 'utf8');
    expect(unit).toContain(`ExecStart=/usr/bin/sallyport service run --config ${at.hostFile}\n`);
    expect(unit).not.toContain(at.stored().token);
    expect(machine.ran.filter((line) => line.startsWith('systemctl'))).toEqual([
      'systemctl daemon-reload',
      'systemctl enable sallyport.service',
      'systemctl restart sallyport.service',
    ]);
    expect(await at.run(['service', 'status'])).toMatchObject({ code: 0, out: 'runs\n' });
    expect((await at.run(['service', 'install', '--every', '60'])).code).toBe(0);
    expect(readFileSync(join(machine.unitDirectory, 'sallyport.service'), 'utf8')).toContain(
      `service run --config ${at.hostFile} --every 60\n`,
    );
    expect((await at.run(['service', 'install', '--every', '61'])).code).toBe(2);
    expect((await at.run(['service', 'uninstall'])).err).toContain('Removed ');
    machine.systemctl = () => ({ code: 3, out: '', err: '' });
    expect(await at.run(['service', 'status'])).toMatchObject({ code: 3, out: 'not installed\n' });
  });

  it('runs in the foreground, and asks the gateway as often as --every says', async () => {
    at.answer = () => Promise.reject(new TypeError('fetch failed'));
    const stop = new AbortController();
    const ended = await at.run(['service', 'run', '--every', '60'], {
      signal: stop.signal,
      onError: (text) => text.includes('Trying again') && stop.abort(),
    });
    expect(ended.code).toBe(0);
    expect(machine.up.size).toBe(0);
    const [, seconds] = /^The gateway cannot be reached [^\n]* Trying again in (\d+) s\.\n/.exec(ended.err) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(90);
    expect(Number(seconds)).toBeLessThanOrEqual(150);
  });

  it('is known and stopped where its unit came with the package', async () => {
    const packaged = mkdtempSync(join(tmpdir(), 'sallyport-packaged-'));
    machine.packagedUnitDirectory = packaged;
    onTestFinished(() => rmSync(packaged, { recursive: true }));
    machine.systemctl = () => ({ code: 3, out: '', err: '' });
    expect((await at.run(['service', 'uninstall'])).err).toBe('There was no service.\n');
    writeFileSync(join(packaged, 'sallyport.service'), '');
    expect(await at.run(['service', 'status'])).toMatchObject({ code: 3, out: 'installed, but does not run\n' });
    expect((await at.run(['service', 'uninstall'])).err).toBe('There was no service.\n');
    machine.systemctl = () => ({ code: 0, out: '', err: '' });
    expect((await at.run(['service', 'uninstall'])).err).toMatch(
      /^Stopped the service, whose unit belongs to the package/,
    );
    expect(machine.ran).toContain('systemctl disable --now sallyport.service');
    expect(existsSync(join(packaged, 'sallyport.service'))).toBe(true);
  });

  it('leaves nothing when systemd refuses it', async () => {
    machine.systemctl = ([verb]) => ({ code: verb === 'restart' ? 1 : 0, out: '', err: 'Job failed.\n' });
    expect(await at.run(['service', 'install'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('systemctl restart sallyport.service failed: Job failed. See `journalctl'),
    });
    machine.systemctl = () => ({ code: 3, out: '', err: '' });
    expect((await at.run(['service', 'status'])).out).toBe('not installed\n');
  });

  it('says where systemd is missing', async () => {
    machine.hasSystemd = false;
    for (const verb of ['install', 'uninstall', 'status']) {
      expect(await at.run(['service', verb])).toMatchObject({
        code: 1,
        err: expect.stringContaining('is not run by systemd. Have'),
      });
    }
  });
});
