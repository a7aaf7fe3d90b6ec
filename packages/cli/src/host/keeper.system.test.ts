import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type Socket, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_ADMIN, createTestGateway } from '@sallyport/gateway/testing';
import { createClient } from '@sallyport/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPiped } from '../testing/process.ts';
import { type Served, serve } from '../testing/serve.ts';

const TOOL = 'wg';
const MAY_KEEP = process.getuid?.() === 0 && spawnSync(TOOL, ['--version']).status === 0;
if (!MAY_KEEP) process.stderr.write('skipped: only root keeps a host connected, and with wireguard-tools alone\n');

/** The pauses of `--every 1`, a quarter less: none is ever shorter. */
const [FIRST_MIN_MS, SECOND_MIN_MS] = [1500, 3000];
/** The two requests of one look come together. */
const TOGETHER_MS = 1000;

/** A way to a server that can be closed: then it hangs up on anyone who comes, and remembers when. */
async function openWay(port: number) {
  const sockets = new Set<Socket>();
  const arrivals: number[] = [];
  let isClosed = false;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (isClosed) {
      arrivals.push(performance.now());
      socket.destroy();
      return;
    }
    sockets.add(socket);
    const onward = connect(port, '127.0.0.1').on('error', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    /** When somebody was turned away, a look once. */
    looks: () => arrivals.filter((at, index) => index === 0 || at - (arrivals[index - 1] ?? 0) > TOGETHER_MS),
    shut(closed: boolean) {
      isClosed = closed;
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    close: () => server.close(),
  };
}

describe.runIf(MAY_KEEP)('the built command that keeps a host connected', () => {
  let base: string;
  let gateway: Awaited<ReturnType<typeof createTestGateway>>;
  let server: Served;
  let way: Awaited<ReturnType<typeof openWay>>;

  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'sallyport-keeper-'));
    gateway = await createTestGateway({ now: new Date() });
    server = await serve(gateway.fetch);
    way = await openWay(server.port);
  });
  afterAll(async () => {
    way.close();
    await server.close();
    await gateway.stop();
    rmSync(base, { recursive: true });
  });

  it('asks a gateway that hangs up more and more rarely, says when, and as often as before once it answers', async () => {
    const { edgeId: nodeId } = await gateway.seed();
    const guest = createClient({ baseUrl: server.url });
    const { token: session } = await guest.session.login({ body: TEST_ADMIN });
    const client = createClient({ baseUrl: server.url, token: session });
    const { token } = await client.token.create({ params: { id: nodeId }, body: { name: 'kept' } });
    // A node that is disabled has no tunnel, so nothing of this machine is touched.
    await client.node.disable({ params: { id: nodeId } });
    const file = join(base, 'config.json');
    const kept = { version: 1, url: way.url, token, pin: null, interface: 'spkept', connected: true };
    writeFileSync(file, JSON.stringify(kept), { mode: 0o600 });

    const disabled = 'Node "edge" is disabled by the administrator; disconnected.';
    const keeper = startPiped(['service', 'run', '--every', '1', '--config', file], {});
    await keeper.until(new RegExp(disabled));
    way.shut(true);
    await keeper.until(/(?:Trying again in \d s\.\n[^]*){2}/);
    way.shut(false);
    await keeper.until(new RegExp(`Trying again[^]*${disabled}`));
    way.shut(true);
    await keeper.until(/(?:Trying again in \d s\.\n[^]*){3}/);
    keeper.child.kill('SIGTERM');
    const { code, out, err } = await keeper.ended;

    expect({ code, out }).toEqual({ code: 0, out: '' });
    const failed = (seconds: string) =>
      `The gateway cannot be reached \\(${way.url}\\)\\. Trying again in ${seconds} s\\.\n`;
    expect(err).toMatch(new RegExp(`^${disabled}\n${failed('[23]')}${failed('[345]')}${disabled}\n${failed('[23]')}$`));
    const [first = 0, second = 0, third = 0, ...more] = way.looks();
    expect(more).toEqual([]);
    expect(second - first).toBeGreaterThan(FIRST_MIN_MS);
    // Behind the second failure one pause more, and then the short one of a gateway that has answered.
    expect(third - second).toBeGreaterThan(SECOND_MIN_MS);
  });
});
