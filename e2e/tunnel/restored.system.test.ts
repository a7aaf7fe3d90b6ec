import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayCommand } from '../../scripts/gatewayCommand.mjs';
import { type GatewayProcess, startGateway } from '../support/gateway.ts';
import { namespacesProblem } from '../support/namespaces.ts';
import { type PackagedHost, openPackagedScene, type PackagedScene } from '../support/packagedHosts.ts';
import { eventually, GATEWAY, PORTS, serveHome } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`Nodes do not go on with a restored gateway: ${problem}.\n`);

const LIMIT_MS = 420_000;
/** WireGuard on a host believes in its session with the lost machine for two minutes, and sends each 25 seconds. */
const CALLED_WITHIN_MS = 180_000;
/** Services that are saved while the backup is made. */
const WRITES = 60;

describe.skipIf(problem !== null)('a gateway that is restored on another machine', () => {
  let scene: PackagedScene;
  let base: string;
  let host: PackagedHost;
  let restored: GatewayProcess | undefined;

  beforeAll(async () => {
    base = await mkdtemp(path.join(tmpdir(), 'sallyport-restored-'));
    // For the workers of nginx.
    await chmod(base, 0o711);
    scene = await openPackagedScene();
  }, LIMIT_MS);
  afterAll(async () => {
    await restored?.close();
    await scene?.close();
    await rm(base, { recursive: true, force: true });
  }, 60_000);

  /** Runs a command of the gateway's program for a data directory. */
  async function administer(data: string, ...words: string[]): Promise<void> {
    const [node, ...program] = gatewayCommand;
    const env = { PATH: process.env['PATH'], SALLYPORT_DATA: data, SALLYPORT_TUNNEL: 'off' };
    await promisify(execFile)(node, [...program, ...words], { env });
  }

  it(
    'has its nodes again, by file and by command, and their visitors, without a change on their hosts',
    async () => {
      const { gateway } = scene;
      const house = await scene.host('home', '198.18.0.21');
      await serveHome(scene, house);
      const office = await scene.host('office', '198.18.0.22');
      host = await scene.packagedHost(office);
      const id = await scene.joinByCommand(host, 'office');
      expect(await host.run(['sallyport', 'connect'])).toMatchObject({ code: 0 });
      const { address } = (await scene.api(`GET /api/nodes/${id}`)).body;
      await scene.serve(office, String(address), 'office');
      const service = { name: 'Office', pathLocation: '/office', backendPort: PORTS.http };
      await scene.api(`POST /api/services/${id}/http`, service);
      expect(await scene.served('/office')).toMatch(/^office http /);

      const file = path.join(base, 'gateway.backup');
      const passphrase = path.join(base, 'passphrase');
      await writeFile(passphrase, 'correct horse battery staple\n', { mode: 0o600 });
      const backup = administer(gateway.data, 'backup', file, '--passphrase-file', passphrase);
      for (let number = 0; number < WRITES; number += 1) {
        const written = { name: `s${number}`, pathLocation: `/s${number}`, backendHost: '127.0.0.1', backendPort: 9 };
        expect((await scene.api('POST /api/services/1/http', written)).status).toBe(200);
      }
      await backup;

      // The machine is lost, with its tunnel and its address; another one gets the address.
      await gateway.end('SIGINT');
      await scene.home.exec('ip', 'address', 'flush', 'dev', 'eth0');
      const data = path.join(base, 'data');
      await administer(data, 'restore', file, '--passphrase-file', passphrase, '--yes');
      const other = await scene.host('other', GATEWAY);
      // As a machine says when it takes an address.
      for (const each of [scene.outside, house, office]) await each.exec('ip', 'neigh', 'flush', 'all');
      restored = await startGateway({
        host: GATEWAY,
        namespace: other,
        data,
        ports: gateway.ports,
        env: { SALLYPORT_TUNNEL: 'on', SALLYPORT_VPN_INTERFACE: scene.uniqueName() },
      });
      for (const [page, wanted] of [
        ['/web', /^home http .*200$/],
        ['/office', /^office http .*200$/],
      ] as const) {
        expect(
          await eventually(
            () => scene.visit(page).catch(String),
            (text) => wanted.test(text),
            CALLED_WITHIN_MS,
          ),
        ).toMatch(wanted);
      }
    },
    LIMIT_MS,
  );
});
