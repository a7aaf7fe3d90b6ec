import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namespacesProblem } from '../support/namespaces.ts';
import { openPackagedScene, type PackagedHost, type PackagedScene } from '../support/packagedHosts.ts';
import { systemdKeeper, systemdProblem } from '../support/systemd.ts';
import { eventually, PORTS } from '../support/tunnelScene.ts';

const problem = (await namespacesProblem()) ?? systemdProblem();
if (problem !== null) process.stderr.write(`skipped: a real systemd keeps a host connected, because ${problem}\n`);

/** The keeper asks every second here; a busy machine takes its time. */
const FOLLOW_MAX_MS = 30_000;
const UNIT = 'sallyport.service';
/** What the package manager runs after it has put a new version there. */
const AFTER_UPDATE = readFileSync(path.resolve(import.meta.dirname, '../../packages/cli/debian/postinst'), 'utf8');

describe.skipIf(problem !== null)('systemd, as the first process of a host', () => {
  let scene: PackagedScene;
  let host: PackagedHost;
  let id = 0;

  beforeAll(async () => {
    scene = await openPackagedScene();
    const network = await scene.host('kept', '198.18.0.40');
    await scene.serve(network, '0.0.0.0', 'kept');
    host = await scene.packagedHost(network, systemdKeeper());
    await eventually(
      async () => (await host.run(['systemctl', 'is-system-running'])).out.trim(),
      (state) => state === 'running',
      30_000,
    );
    id = await scene.joinByCommand(host, 'kept');
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  const journal = async () => (await host.run(['journalctl', '--no-pager', '--output=cat', '--unit', UNIT])).out;
  const said = (sentence: RegExp) => eventually(journal, (text) => sentence.test(text), FOLLOW_MAX_MS);
  const property = async (name: string) =>
    (await host.run(['systemctl', 'show', '--value', '--property', name, UNIT])).out.trim();
  const serviceState = async () => {
    const { code, out } = await host.sallyport(['service', 'status', '--json']);
    return { code, ...(JSON.parse(out) as object) };
  };
  /** Its number is another one when it was made again. */
  const tunnelLink = async () => (await host.run(['cat', '/sys/class/net/sallyport/ifindex'])).out;
  const interfaceIsThere = async () => (await host.run(['ip', 'link', 'show', 'sallyport'])).code === 0;

  it('runs the installed service, which follows the administrator within its sandbox, and comes back when it dies', async () => {
    expect(await serviceState()).toMatchObject({ code: 3, isActive: false });
    expect(await host.sallyport(['service', 'install', '--every', '1'])).toMatchObject({ code: 0 });
    expect(await serviceState()).toMatchObject({ code: 0, isInstalled: true, isActive: true, isEnabled: true });
    expect(await host.sallyport(['http', 'kept', '--port', String(PORTS.http)])).toMatchObject({ code: 0 });

    await scene.api(`PATCH /api/nodes/${id}/disable`);
    await said(/Node "kept" is disabled by the administrator; disconnected\./);
    expect(await interfaceIsThere()).toBe(false);

    // From here on the interface is made by the service, with no more rights than its unit leaves.
    await scene.api(`PATCH /api/nodes/${id}/enable`);
    await said(/disconnected\.\n[\s\S]*Node "kept" is connected\./);
    await scene.served('/', /^kept http from 10\.88\.0\.1 200$/, FOLLOW_MAX_MS);
    expect(await host.sallyport(['status', '--health'])).toMatchObject({ code: 0, out: 'up\n' });

    const [main, invocation] = [await property('MainPID'), await property('InvocationID')];
    expect((await host.run(['sh', '-c', `kill -KILL ${main}`])).code).toBe(0);
    await eventually(
      async () => [await property('InvocationID'), await property('ActiveState')].join(' '),
      (state) => !state.startsWith(invocation) && state.endsWith(' active'),
      FOLLOW_MAX_MS,
    );
    expect(await scene.visit('/')).toMatch(/^kept http .* 200$/);

    // An update of the package: another process runs the new version, in the same tunnel.
    const [former, link] = [await property('MainPID'), await tunnelLink()];
    const visits = await scene.visitSteadily('/', 20, 'kept http');
    expect(await host.run(['sh', '-c', AFTER_UPDATE, 'postinst', 'configure', '0.0.1'])).toMatchObject({ code: 0 });
    await said(/Ends for the next start, and leaves the tunnel up\./);
    await eventually(
      async () => [await property('MainPID'), await property('SubState')].join(' '),
      (state) => state !== `${former} running` && state.endsWith(' running'),
      FOLLOW_MAX_MS,
    );
    expect(await visits.end()).toMatchObject({ failed: 0 });
    expect(await tunnelLink()).toBe(link);

    // A gateway that cannot be asked is no reason to end, and the tunnel goes on.
    await scene.gateway.end('SIGKILL');
    await said(
      /The gateway (?:cannot be reached|failed to answer)[^\n]* Trying again in \d s\.\n[\s\S]*Trying again in \d s\./,
    );
    expect(await property('ActiveState')).toBe('active');
    expect(await property('NRestarts')).toBe('2');
    expect(await scene.visit('/')).toMatch(/^kept http .* 200$/);
    await scene.gateway.start();
    await said(/Node "kept": the gateway answers again\./);

    expect(await host.sallyport(['service', 'uninstall'])).toMatchObject({ code: 0 });
    expect(await serviceState()).toMatchObject({ code: 3, isInstalled: false, isActive: false });
    expect(await interfaceIsThere()).toBe(false);
    expect((await host.sallyport(['status', '--health'])).code).toBe(3);
  }, 300_000);
});
