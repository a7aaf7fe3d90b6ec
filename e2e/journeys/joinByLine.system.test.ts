import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Started, watched } from '../../packages/cli/src/testing/process.ts';
import { inLayer, layerProblem } from '../support/layer.ts';
import { type Namespace, namespacesProblem } from '../support/namespaces.ts';
import { makePackagedHost } from '../support/packagedHosts.ts';
import { systemdKeeper, systemdProblem } from '../support/systemd.ts';
import { eventually, openTunnelScene, PORTS, type TunnelScene } from '../support/tunnelScene.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../..');
const PACKAGES = path.join(CHECKOUT, 'packages/cli/packages');
const PACKAGING = ['scripts/package.mjs', '--only', 'command', '--quick', '--native', '--out', PACKAGES];
const LINE_MAX_MS = 120_000;

const problem = layerProblem() ?? (await namespacesProblem());
if (problem !== null) process.stderr.write(`skipped: a host joins by one line, because ${problem}\n`);
const noSystemd = systemdProblem();
if (problem === null && noSystemd !== null) {
  process.stderr.write(`skipped: a host that systemd runs joins by one line, because ${noSystemd}\n`);
}

describe.skipIf(problem !== null)('a host that has nothing of Sallyport', { timeout: 3 * LINE_MAX_MS }, () => {
  let scene: TunnelScene;
  let network: Namespace;
  let own: string;

  beforeAll(async () => {
    execFileSync(process.execPath, PACKAGING, { cwd: CHECKOUT, stdio: 'ignore' });
    scene = await openTunnelScene();
    network = await scene.host('web', '198.18.0.21');
    await scene.serve(network, '127.0.0.1', 'web');
    own = mkdtempSync(path.join(tmpdir(), 'sallyport-layer-'));
  }, 300_000);
  afterAll(async () => {
    await scene?.close();
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  }, 60_000);

  /** Runs a line there, on a new machine and without a terminal. */
  const run = (line: string, ...settings: string[]): Started['ended'] => {
    const words = ['netns', 'exec', network.name, 'setsid', '--wait', 'unshare', ...inLayer(own), ...settings];
    const started = watched(spawn('ip', [...words, 'sh', '-c', line]), LINE_MAX_MS);
    started.child.stdin.end();
    return started.ended;
  };

  it('joins by the line of a join key and its code, once, trusts no other key, and publishes its web server by one more command', async () => {
    const { body } = await scene.api('POST /api/join-keys', { name: 'web' });
    const line = String(body['command']).replace('| sudo sh', '| sh');
    expect(line).toContain(`https://198.18.0.1:${scene.gateway.ports.console}/join`);
    const joining = `printf '%s' "$CODE" > /root/code; SALLYPORT_CODE_FILE=/root/code; export SALLYPORT_CODE_FILE; ${line}`;
    const code = `CODE=${String(body['code'])}`;

    const foreign = line.replace(/sha256\/\/\S+'/, `sha256//${Buffer.alloc(32).toString('base64')}'`);
    expect(await run(foreign)).toMatchObject({ out: '', err: expect.stringContaining('curl: (90)') });

    expect((await run(line)).err).toContain('There is no terminal to ask for the code.');

    const publishing = `sallyport http web --port ${PORTS.http} --path /web`;
    const joined = await run(`${joining} && ${publishing} && echo reached && ${line}`, code);
    expect(joined.out).toMatch(/^Installed \d+\.\d+\.\d+\.$/m);
    expect(joined.err).toContain('Connected to https://198.18.0.1:');
    // The second time it asks first.
    expect(joined.out.match(/^Downloading sallyport \(\d+ MB\) from https:\S+\.$/gm)).toHaveLength(1);
    expect(joined.out).toContain('/web\nreached\n');
    expect(await scene.visit('/web')).toBe('web http from 10.88.0.1 200');
    expect(joined.err).toMatch(
      /This host is a node of https:\S+ already\. Give --force .* `\| sudo sh -s -- --force`\.$/m,
    );
    const nodes = async () => ((await scene.api('GET /api/nodes?page=1&limit=10')).body as { total: number }).total;
    expect(await nodes()).toBe(2);

    expect((await run(joining, code)).err).toContain('This code was used already.');
    expect(await nodes()).toBe(2);
  });

  it('that is no Debian joins from the archive, once it has the programs that are named together', async () => {
    const { body } = await scene.api('POST /api/join-keys', { name: 'other' });
    const line = String(body['command']).replace('| sudo sh', '| sh');
    // Another host in the same network: the interface of the first one is still there.
    const other = 'ip link delete sallyport 2> /dev/null; rm /usr/bin/dpkg /usr/bin/apt-get';
    const bare = await run(
      `${other} /usr/bin/wg /usr/bin/xz; export SALLYPORT_CODE_FILE=/root/code; ${line}; command -v sallyport`,
    );
    expect(bare.err).toBe('sallyport: Install what is missing, then run the line again: wireguard-tools xz.\n');
    expect(bare.out).toBe('');

    const joining = `printf '%s' "$CODE" > /root/code; SALLYPORT_CODE_FILE=/root/code; export SALLYPORT_CODE_FILE; ${line} -s -- --name other`;
    const seen = 'command -v sallyport && ls -l /usr/local/bin && sallyport status --health';
    const joined = await run(`${other}; ${joining} && ${seen}`, `CODE=${String(body['code'])}`);
    expect(joined.err).toContain('Connected to https://198.18.0.1:');
    expect(joined.out).toMatch(/^Installed \d+\.\d+\.\d+\.$[^]*^\/usr\/local\/bin\/sallyport$[^]*^up$/m);
    expect(joined.out).toContain('Nothing keeps this host connected after a reboot');
  });

  it.skipIf(noSystemd !== null)(
    'that systemd runs is kept connected by the service that the line installs',
    async () => {
      const { body } = await scene.api('POST /api/join-keys', { name: 'kept' });
      const where = await scene.host('kept', '198.18.0.22');
      await scene.serve(where, '127.0.0.1', 'kept');
      const nothing = mkdtempSync(path.join(tmpdir(), 'sallyport-nothing-'));
      const host = await makePackagedHost(where, nothing, systemdKeeper('installs'));
      onTestFinished(async () => {
        await host.close();
        rmSync(nothing, { recursive: true });
      });
      const systemctl = async (...words: string[]) => (await host.run(['systemctl', ...words])).out.trim();
      await eventually(
        () => systemctl('is-system-running'),
        (state) => state === 'running',
      );

      // Its name is this machine's, which another node has by now.
      const line = String(body['command']).replace('| sudo sh', '| sh -s -- --name kept');
      const joining = `printf '%s' "$0" > /run/code; SALLYPORT_CODE_FILE=/run/code; export SALLYPORT_CODE_FILE; ${line}`;
      const joined = await host.run(['sh', '-c', joining, String(body['code'])]);
      expect(joined).toMatchObject({
        code: 0,
        err: expect.stringContaining('Connected to https://198.18.0.1:') as string,
      });
      expect(joined.out).toMatch(/^Installed \d+\.\d+\.\d+\.$/m);
      expect(joined.out).not.toContain('Nothing keeps this host connected');
      expect(await systemctl('is-enabled', 'sallyport.service')).toBe('enabled');
      expect(await systemctl('is-active', 'sallyport.service')).toBe('active');

      expect(await host.sallyport(['http', 'kept', '--port', String(PORTS.http), '--path', '/kept'])).toMatchObject({
        code: 0,
      });
      expect(await scene.visit('/kept')).toBe('kept http from 10.88.0.1 200');
      expect(await host.run(['systemctl', 'reload', 'sallyport'])).toMatchObject({ code: 0 });
      await eventually(
        async () => (await host.run(['journalctl', '--unit', 'sallyport', '--no-pager'])).out,
        (text) => text.includes('Ends for the next start'),
      );
      expect(await scene.visit('/kept')).toBe('kept http from 10.88.0.1 200');
    },
  );
});
