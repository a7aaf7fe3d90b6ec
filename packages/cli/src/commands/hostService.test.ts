import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { FakeMachine } from '../testing/fakeMachine.ts';
import { LOCAL_URL, testHost } from '../testing/testHost.ts';

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
    // Its lines in the journal have its name, also where the program is Node.
    expect(unit).toContain('\nSyslogIdentifier=sallyport\n');
    expect(machine.ran.filter((line) => line.startsWith('systemctl'))).toEqual([
      'systemctl daemon-reload',
      'systemctl enable sallyport.service',
      'systemctl restart sallyport.service',
    ]);
    expect(await at.run(['service', 'status'])).toMatchObject({ code: 0, out: 'runs\n' });
    // By the same unit it goes on, and the tunnel stays up.
    expect((await at.run(['service', 'install'])).code).toBe(0);
    expect(machine.ran.at(-1)).toBe('systemctl reload sallyport.service');
    expect((await at.run(['service', 'install', '--every', '60'])).code).toBe(0);
    expect(machine.ran.at(-1)).toBe('systemctl restart sallyport.service');
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
    const ended = await at.run(['service', 'run', '--every', '20'], {
      signal: stop.signal,
      onError: (text) => text.includes('Trying again') && stop.abort(),
    });
    expect(ended.code).toBe(0);
    expect(machine.up.size).toBe(0);
    const [, seconds] = /^The gateway cannot be reached [^\n]* Trying again in (\d+) s\.\n/.exec(ended.err) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(30);
    expect(Number(seconds)).toBeLessThanOrEqual(50);
  });

  it('becomes the node of a token that it is given, once, and keeps what it has while the gateway is away', async () => {
    const token = await at.newToken(2);
    const stop = () => {
      const stopping = new AbortController();
      const isTold = (text: string) => /connected|Trying again/.test(text) && stopping.abort();
      return { signal: stopping.signal, onError: isTold, env: { SALLYPORT_URL: LOCAL_URL, SALLYPORT_TOKEN: token } };
    };
    expect((await at.run(['disconnect'])).code).toBe(0);
    rmSync(at.hostFile);
    const first = await at.run(['service', 'run'], stop());
    expect(first).toMatchObject({ code: 0, err: expect.stringContaining('is connected') });
    expect(at.stored()).toMatchObject({ url: LOCAL_URL, token, connected: true });
    const kept = readFileSync(at.hostFile, 'utf8');
    at.answer = () => Promise.reject(new TypeError('fetch failed'));
    expect(await at.run(['service', 'run'], stop())).toMatchObject({ code: 0 });
    expect(readFileSync(at.hostFile, 'utf8')).toBe(kept);
    // At the other address of its gateway it is that node as well.
    writeFileSync(at.hostFile, JSON.stringify({ ...at.stored(), url: 'https://gateway.test', otherUrl: LOCAL_URL }));
    expect(await at.run(['service', 'run'], stop())).toMatchObject({ code: 0 });
    expect(at.stored()).toMatchObject({ url: 'https://gateway.test', token });
    writeFileSync(at.hostFile, kept);
    // Another token, of which only the gateway could say that it is good.
    const other = { ...stop(), env: { SALLYPORT_URL: LOCAL_URL, SALLYPORT_TOKEN: `${token}x` } };
    expect((await at.run(['service', 'run'], other)).code).toBe(6);
    expect(readFileSync(at.hostFile, 'utf8')).toBe(kept);
    expect(await at.run(['service', 'run'], { env: { SALLYPORT_TOKEN: token } })).toMatchObject({
      code: 2,
      err: expect.stringContaining('Name it with --url'),
    });
  });

  it('is known and stopped where its unit came with the package', async () => {
    const packaged = mkdtempSync(join(tmpdir(), 'sallyport-packaged-'));
    machine.packagedUnitDirectory = packaged;
    onTestFinished(() => rmSync(packaged, { recursive: true }));
    machine.systemctl = () => ({ code: 3, out: '', err: '' });
    expect((await at.run(['service', 'uninstall'])).err).toBe('There was no service.\n');
    writeFileSync(join(packaged, 'sallyport.service'), '');
    const stopped = await at.run(['service', 'status']);
    expect(stopped).toMatchObject({ code: 3, out: 'installed, but does not run\n' });
    // The lines are those of the unit that was written, whose name is the one that systemd is asked about.
    expect(stopped.err).toContain('See `journalctl --unit sallyport --no-pager`');
    const env = { SUDO_USER: 'anna' };
    expect((await at.run(['service', 'status'], { env })).err).toContain('See `sudo journalctl --unit sallyport');
    expect((await at.run(['service', 'uninstall'])).err).toBe('There was no service.\n');
    machine.systemctl = () => ({ code: 0, out: '', err: '' });
    expect((await at.run(['service', 'uninstall'])).err).toMatch(
      /^Stopped the service, whose unit belongs to the package\. .*`sallyport connect`/,
    );
    expect((await at.run(['service', 'uninstall'], { env })).err).toContain('`sudo sallyport connect`');
    expect(machine.ran).toContain('systemctl disable --now sallyport.service');
    expect(existsSync(join(packaged, 'sallyport.service'))).toBe(true);
  });

  it('leaves nothing when systemd refuses it', async () => {
    machine.systemctl = ([verb]) => ({ code: verb === 'restart' ? 1 : 0, out: '', err: 'Job failed.\n' });
    expect(await at.run(['service', 'install'])).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        'systemctl restart sallyport.service failed: Job failed. See `journalctl --unit sallyport',
      ),
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
