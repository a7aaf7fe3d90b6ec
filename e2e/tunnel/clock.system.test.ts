import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namespacesProblem } from '../support/namespaces.ts';
import { eventually, type Json, openTunnelScene, serveHome, type TunnelScene } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`The clock is not moved under a tunnel: ${problem}.\n`);

const CLOCK = path.resolve(import.meta.dirname, '../support/jumpingClock.mjs');
/** More than a session of WireGuard lives, less than one of an administrator. */
const JUMP_MS = 600_000;
const PER_SECOND = 50;
/** Some visits to the page: more than keep-alives would make. */
const MORE_BYTES = 5000;

describe.skipIf(problem !== null)('the clock of the gateway jumps', () => {
  let scene: TunnelScene;
  let id = 0;

  beforeAll(async () => {
    scene = await openTunnelScene({ nodeArguments: ['--import', CLOCK], ipc: true });
    const home = await scene.host('home', '198.18.0.20');
    id = await serveHome(scene, home);
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  it.each([JUMP_MS, -2 * JUMP_MS])(
    'by %i ms: no visit fails, no node is taken for away, and its traffic is counted on',
    async (jump) => {
      const node = async (): Promise<Json> => (await scene.api(`GET /api/nodes/${id}`)).body;
      const visits = await scene.visitSteadily('/web', PER_SECOND, 'home http');
      const before = await eventually(node, ({ status }) => status === 'online');
      const seen = new Set<unknown>();
      const end = await scene.stream('/api/nodes/stream?page=1&limit=10', (message) => {
        const row = (message as unknown as Json[]).find((each) => each['id'] === id);
        seen.add(row?.['status']);
      });
      const gateway = scene.gateway.child();
      const jumped = once(gateway, 'message');
      gateway.send(jump);
      const [now] = (await jumped) as [number];
      expect(Math.abs(now - Date.now())).toBeGreaterThan(JUMP_MS / 2);
      await eventually(node, ({ transferRx }) => Number(transferRx) > Number(before['transferRx']) + MORE_BYTES);
      await eventually(
        async () => seen.size,
        (size) => size > 0,
      );
      end();
      expect([...seen]).toEqual(['online']);
      expect(await visits.end()).toMatchObject({ failed: 0 });
      // Nothing was counted twice.
      const { address, transferRx: counted } = await node();
      expect(Number(counted)).toBeLessThanOrEqual(await scene.carriedFrom(address));
    },
    60_000,
  );
});
