import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namespacesProblem, type Namespace } from '../support/namespaces.ts';
import { eventually, openTunnelScene, PORTS, serveHome, type TunnelScene } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`A tunnel whose settings change is not tried: ${problem}.\n`);

const LIMIT_MS = 180_000;

// What is saved stays as it was when the gateway starts again with other settings. Nothing of it may lead elsewhere then.
describe.skipIf(problem !== null)('a gateway that starts again with other settings', () => {
  let scene: TunnelScene;
  let nodeId = 0;
  let address = '';

  beforeAll(async () => {
    scene = await openTunnelScene();
    nodeId = await serveHome(scene, await scene.host('home', '198.18.0.21'));
    address = String((await scene.api(`GET /api/nodes/${nodeId}`)).body['address']);
  }, LIMIT_MS);
  afterAll(async () => {
    await scene?.close();
  });

  const startAgain = async (settings: Record<string, string>): Promise<void> => {
    await scene.gateway.end('SIGTERM');
    await scene.gateway.start(settings);
  };
  const problemOf = async (call: string): Promise<unknown> => (await scene.api(call)).body['problem'];

  /** All that a tunnel is made of. */
  async function parts(): Promise<string> {
    const looks = ['-o link show', '-4 route show table all proto 151', '-4 rule show'];
    const found = await Promise.all(looks.map((look) => scene.home.exec('ip', ...look.split(' '))));
    return [...found, await scene.home.exec('nft', 'list', 'tables')].join('\n');
  }

  /** Someone else who has the address of the node. */
  async function takeAddress(where: Namespace, word: string): Promise<void> {
    await where.exec('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
    await scene.serve(where, address, word);
  }

  it(
    'closes a port that services may not have any more, and opens it again with the former ports',
    async () => {
      const made = await scene.api(`POST /api/services/${nodeId}/tcp`, { name: 'Tcp', backendPort: PORTS.tcp });
      const { id, port } = made.body as { id: number; port: number };
      expect(await scene.visitTcp(port, 'hello')).toBe('home tcp hello');
      await startAgain({ SALLYPORT_TCP_PORTS: '61000-61010' });
      const service = `GET /api/services/${nodeId}/tcp/${id}`;
      expect(await problemOf(service)).toBe(
        `Its port ${port} is outside of 61000 to 61010, so it is closed. Choose another port, or change SALLYPORT_TCP_PORTS.`,
      );
      expect(await scene.home.exec('ss', '-Hltn', `sport = :${port}`)).toBe('');
      const { from, to } = scene.gateway.ports.tcp;
      await startAgain({ SALLYPORT_TCP_PORTS: `${from}-${to}` });
      expect(await problemOf(service)).toBeNull();
      expect(await scene.visitTcp(port, 'again')).toBe('home tcp again');
    },
    LIMIT_MS,
  );

  it(
    'asks a node at its address through the tunnel alone, also where this machine has that address',
    async () => {
      await takeAddress(scene.home, 'machine');
      expect(await scene.visit('/web')).not.toContain('machine');
      await scene.home.exec('ip', 'address', 'delete', `${address}/32`, 'dev', 'lo');
      await scene.served('/web', /^home /);
    },
    LIMIT_MS,
  );

  it(
    'takes the tunnel of its former interface, network and port away, and reaches no node of that network elsewhere',
    async () => {
      await scene.home.exec('ip', 'route', 'add', 'default', 'via', '198.18.0.9');
      await takeAddress(scene.outside, 'stranger');
      const name = scene.uniqueName();
      await startAgain({
        SALLYPORT_VPN_INTERFACE: name,
        SALLYPORT_VPN_SUBNET: '10.99.0.0/16',
        SALLYPORT_VPN_PORT: '51821',
      });
      const found = await eventually(parts, (text) => text.includes(`${name}: `));
      expect(found).not.toContain(scene.tunnel);
      expect(found).not.toContain('10.88.');
      expect(await problemOf(`GET /api/nodes/${nodeId}`)).toBe(
        `Its address ${address} is of another network than the tunnel has now. Give it another one and connect its host again, or set SALLYPORT_VPN_SUBNET as it was.`,
      );
      expect(await scene.visit('/web')).toMatch(/ 503$/);
      const moved = await scene.api(`PATCH /api/nodes/${nodeId}`, { id: nodeId, address: '10.99.0.5' });
      expect(moved).toMatchObject({ status: 200, body: { address: '10.99.0.5', problem: null } });
      expect(await scene.home.exec('wg', 'show', name, 'allowed-ips')).toContain('\t10.99.0.5/32');
    },
    LIMIT_MS,
  );

  it(
    'leaves nothing of a tunnel where there is to be none',
    async () => {
      await startAgain({ SALLYPORT_TUNNEL: 'off' });
      const found = await parts();
      expect(found).not.toMatch(/10\.99\.|10\.88\.|proto 151|sallyport/);
      expect(found.split('\n').filter((line) => /^\d+: (?!lo|eth0)/.test(line))).toEqual([]);
    },
    LIMIT_MS,
  );
});
