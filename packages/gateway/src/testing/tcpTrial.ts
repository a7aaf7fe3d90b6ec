import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { tcpServiceDefaults } from '@sallyport/sdk/contract';
import { vi } from 'vitest';
import type { Published } from '../ingress/writeBatch.ts';
import type { NewRow, TcpServiceRow } from '../store/rows.ts';
import { type ReconcileTrial, save, untilTrialEnds } from './reconcileTrial.ts';

/** Exposes a port of loopback under a free one; `port` says which, else. */
export async function exposeTcp(
  trial: ReconcileTrial,
  backendPort: number,
  rest: Partial<NewRow<TcpServiceRow>> = {},
): Promise<Published & { value: TcpServiceRow }> {
  const row = tcpServiceRow(backendPort, { port: rest.port ?? trial.tcpPort(), ...rest });
  return save(trial, (tx) => tx.tcpServices.create(row));
}

/** The row of a TCP service of the local node; `port` is always to be said. */
export const tcpServiceRow = (
  backendPort: number,
  rest: Partial<NewRow<TcpServiceRow>> & Pick<TcpServiceRow, 'port'>,
): NewRow<TcpServiceRow> => ({
  ...tcpServiceDefaults,
  nodeId: 1,
  name: 'service',
  backendHost: '127.0.0.1',
  backendPort,
  enabled: true,
  expiresAt: null,
  closedAt: null,
  closedBy: null,
  ...rest,
});

/** A TCP server on loopback that lets its clients go on sending when it has ended. */
export async function startTcpBackend(
  onConnection: (socket: Socket) => void,
  address = '127.0.0.1',
): Promise<{ port: number; stop(): Promise<void> }> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    onConnection(socket);
  });
  server.listen(0, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: untilTrialEnds(async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    }),
  };
}

/** Sends a text, then nothing more, and reads what comes until the other side ends. Empty when no one lets it in. */
export async function askTcp(port: number, words: string, host = '127.0.0.1'): Promise<string> {
  const socket = connect({ host, port, allowHalfOpen: true });
  await once(socket, 'connect');
  socket.end(words);
  return text(socket).catch(() => '');
}

/** A UDP server on loopback that answers each packet with the port from which it came. */
export async function startUdpBackend({ address = '127.0.0.1', port = 0 } = {}): Promise<{
  port: number;
  /** How many packets came from which port. */
  sessions: Map<number, number>;
  /** Sends a packet to each of them, unasked. */
  push(): void;
  stop(): Promise<void>;
}> {
  const sessions = new Map<number, number>();
  const socket = createSocket('udp4', (_packet, asking) => {
    sessions.set(asking.port, (sessions.get(asking.port) ?? 0) + 1);
    socket.send(String(asking.port), asking.port, asking.address);
  });
  socket.bind(port, address);
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    sessions,
    push() {
      for (const to of sessions.keys()) socket.send('unasked', to, '127.0.0.1');
    },
    stop: untilTrialEnds(() => closed(socket)),
  };
}

const closed = (socket: UdpSocket): Promise<void> =>
  new Promise((done) => {
    socket.close(done);
  });

/** A UDP client with a port of its own. */
export function openUdpClient(
  port: number,
  host = '127.0.0.1',
): { ask(count: number): Promise<string[]>; next(): Promise<string>; close(): Promise<void> } {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  return {
    /** Sends packets one after the other without waiting, and returns as many answers. */
    ask(count) {
      const answers: string[] = [];
      const all = Promise.withResolvers<string[]>();
      socket.on('message', (message) => {
        answers.push(message.toString());
        if (answers.length === count) all.resolve(answers);
      });
      for (let sent = 0; sent < count; sent += 1) socket.send('packet', port, host);
      return all.promise.finally(() => socket.removeAllListeners('message'));
    },
    /** The next packet that comes without being asked for. */
    next: async () => String((await once(socket, 'message'))[0]),
    close: untilTrialEnds(() => closed(socket)),
  };
}

/** The lines that nginx wrote about a service, as soon as there are so many. */
export function loggedLines(trial: ReconcileTrial, id: number, count: number): Promise<Record<string, string>[]> {
  return vi.waitFor(() => {
    const lines = readFileSync(trial.ingress.layout.accessLog, 'utf8')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, string>]))
      .filter(({ s, k }) => s === String(id) && k === 'tcp');
    if (lines.length < count) throw new Error(`${lines.length} lines of ${count}`);
    return lines;
  });
}
