import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { hasNetworkRights } from '../machine/ownProcess.ts';
import { type GatewayTrial, openGatewayTrial } from '../testing/gatewayTrial.ts';
import { servedFiles } from '../testing/reconcileTrial.ts';
import { askTcp, startTcpBackend } from '../testing/tcpTrial.ts';
import { endOf } from '../testing/wire.ts';

// TCP services that are closed by a call, as those see it who have a connection open.

const DOMAIN = 'closing.example.test';

let trial: GatewayTrial;
let backendPort: number;
let stop: () => Promise<void>;

beforeEach(({ skip }) => skip(!hasNetworkRights(), 'only root may end connections, and not in every container'));
beforeAll(async () => {
  ({ port: backendPort, stop } = await startTcpBackend((socket) => void socket.pipe(socket)));
  trial = await openGatewayTrial();
});
afterAll(async () => {
  await trial.stopGateway();
  await trial.close();
  await stop();
});

type Request = Parameters<GatewayTrial['api']>[0];
const call = async (request: Request, body?: object): Promise<Record<string, unknown>> => {
  const reply = await trial.api(request, body);
  expect(reply.status).toBe(200);
  return reply.body;
};

async function create(rest: object = {}): Promise<{ id: number; port: number }> {
  const body = { name: 'Closing', backendHost: '127.0.0.1', backendPort, ...rest };
  const { id, port } = await call('POST /api/services/1/tcp', body);
  return { id: Number(id), port: Number(port) };
}

const echo = async (socket: Socket): Promise<string> => {
  socket.write('echo');
  return String((await once(socket, 'data'))[0]);
};

async function visit(port: number): Promise<{ socket: Socket; cut: Promise<number> }> {
  const socket = connect({ host: '127.0.0.1', port });
  const cut = endOf(socket);
  expect(await echo(socket)).toBe('echo');
  return { socket, cut };
}

/** The files of nginx that name the port. */
function filesNaming(port: number): string[] {
  const pattern = new RegExp(`:${port}\\b`);
  return servedFiles(trial).flatMap(({ path, text }) => (pattern.test(text) ? [path] : []));
}

type Scene = { id: number; domainId: number };
it.each([
  ['is disabled', ({ id }: Scene): Request => `PATCH /api/services/1/tcp/${id}/disable`],
  ['is deleted', ({ id }: Scene): Request => `DELETE /api/services/1/tcp/${id}`],
  ['loses its domain', ({ domainId }: Scene): Request => `DELETE /api/domains/${domainId}`],
])(
  'ends what is open when its service %s, closes the port, and leaves others alone',
  async (_how, of: (scene: Scene) => Request) => {
    const domain = await call('POST /api/domains', { domain: DOMAIN, skipValidation: true });
    const gone = await create({ domain: DOMAIN });
    const kept = await create();
    const [closed, open] = [await visit(gone.port), await visit(kept.port)];
    expect(filesNaming(gone.port)).not.toEqual([]);

    await call(of({ id: gone.id, domainId: Number(domain['id']) }));
    await closed.cut;
    await expect(askTcp(gone.port, 'x')).rejects.toThrow('ECONNREFUSED');
    expect(filesNaming(gone.port)).toEqual([]);
    expect(await echo(open.socket)).toBe('echo');

    open.socket.destroy();
    for (const path of [`services/1/tcp/${gone.id}`, `services/1/tcp/${kept.id}`, `domains/${Number(domain['id'])}`]) {
      await trial.api(`DELETE /api/${path}`);
    }
  },
);
