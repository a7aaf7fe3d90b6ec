import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SERVICES_CERTIFICATE_NAME } from './preparation.ts';
import { certificateFile, openReconcileTrial, PORTS, type ReconcileTrial, save } from '../testing/reconcileTrial.ts';
import {
  askTcp,
  exposeTcp,
  loggedLines,
  openUdpClient,
  startTcpBackend,
  startUdpBackend,
} from '../testing/tcpTrial.ts';

let trial: ReconcileTrial;

/** Where names lead: no TCP backend listens on the first address of `pair.test`. */
const NAMES: Record<string, string[]> = {
  'pair.test': ['127.0.0.2', '127.0.0.1'],
  'two.test': ['127.0.0.1', '127.0.0.2'],
};
const CHANGES = 3;
/** A client that has no answer by then asks again. */
const ANSWER_LIMIT_MS = 5000;
/** How long nothing must come before nothing counts as coming. */
const SILENCE_MS = 300;

beforeAll(async () => {
  trial = await openReconcileTrial({
    listen: ['127.0.0.1', '[::1]'],
    resolve: (name) => Promise.resolve(NAMES[name] ?? []),
  });
});
afterAll(() => trial.close());

/** Answers with its own name and what it was sent, once the client has said all. */
const backend = async (name: string): Promise<number> => {
  const { port } = await startTcpBackend((socket) => {
    void text(socket).then((words) => socket.end(`${name}:${words}`));
  });
  return port;
};
const exposeUdp = (port: number, rest: Parameters<typeof exposeTcp>[2] = {}) =>
  exposeTcp(trial, port, { proto: 'udp', ...rest });

const problemOf = (id: number): string | null => trial.reconciler.problem('tcpService', id);
const refused = (port: number): Promise<string> =>
  askTcp(port, '').then(
    () => 'open',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
  );
const silence = (): Promise<string[]> => new Promise((done) => void setTimeout(done, SILENCE_MS, []));
/** What comes back over UDP. Where no backend listens, nginx sends its client an empty packet. */
const answerOf = async (port: number, host?: string): Promise<string> =>
  (await openUdpClient(port, host).ask(1))[0] ?? '';
/** No backend answers over UDP. */
const isSilent = async (port: number, host?: string): Promise<boolean> =>
  ((await Promise.race([openUdpClient(port, host).ask(1), silence()]))[0] ?? '') === '';

/** Listens as another program of this machine would. */
const occupy = async (port: number) => {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop(): Promise<void> {
      server.close();
      await once(server, 'close');
    },
  };
};

describe('an exposed TCP port', () => {
  it('carries bytes both ways, at once and unchanged, and is not cut by a change of another service', async () => {
    const { port } = await startTcpBackend((socket) => void socket.pipe(socket));
    const { value, rejected } = await exposeTcp(trial, port);
    expect(rejected).toBeNull();
    const socket = connect({ host: '127.0.0.1', port: value.port });
    for (const words of ['first', '\0\x01\r\n\xff', 'third']) {
      socket.write(words, 'latin1');
      expect(((await once(socket, 'data')) as [Buffer])[0].toString('latin1')).toBe(words);
    }
    await exposeTcp(trial, port);
    socket.write('fourth');
    expect(String((await once(socket, 'data'))[0])).toBe('fourth');
    socket.destroy();
    const large = 'x'.repeat(4_000_000);
    expect((await askTcp(value.port, large)).length).toBe(large.length);
  });

  it('leads to the second address of a name when the first does not answer', async () => {
    const { value } = await exposeTcp(trial, await backend('second'), { backendHost: 'pair.test' });
    for (const words of ['a', 'b', 'c']) expect(await askTcp(value.port, words)).toBe(`second:${words}`);
  });

  it('is closed when it is disabled or removed, and the port is free for others', async () => {
    const { value } = await exposeTcp(trial, await backend('switch'));
    await save(trial, (tx) => tx.tcpServices.update(value.id, { enabled: false }));
    expect(await refused(value.port)).toBe('ECONNREFUSED');
    await (await occupy(value.port)).stop();
    await save(trial, (tx) => tx.tcpServices.update(value.id, { enabled: true }));
    expect(await askTcp(value.port, 'again')).toBe('switch:again');
    await save(trial, (tx) => tx.tcpServices.remove(value.id));
    expect(await refused(value.port)).toBe('ECONNREFUSED');
  });

  it('says in its log that no backend answers', async () => {
    const { port, stop } = await startTcpBackend(() => undefined);
    await stop();
    const { value } = await exposeTcp(trial, port);
    expect(await askTcp(value.port, 'x')).toBe('');
    expect(await loggedLines(trial, value.id, 1)).toMatchObject([{ st: '502', u: `127.0.0.1:${port}` }]);
  });
});

describe('TLS without a domain', () => {
  const echo = async (): Promise<number> => {
    const { port } = await startTcpBackend((socket) => {
      socket.on('data', (words) => socket.write(`plain:${String(words)}`));
      socket.on('end', () => socket.end());
    });
    return port;
  };

  it('has a certificate of services, with another key than the console’s, as websites without a domain have', async () => {
    const { value } = await exposeTcp(trial, await echo(), { ssl: true });
    const opened = async (port: number, ca: Buffer): Promise<TLSSocket> => {
      const socket = connectTls({ host: '127.0.0.1', port, servername: 'gateway.test', ca });
      await once(socket, 'secureConnect');
      return socket;
    };
    const askTls = async (ca: Buffer): Promise<string> => {
      const socket = await opened(value.port, ca);
      socket.write('secret');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return answer.toString();
    };
    const own = readFileSync(certificateFile(trial, SERVICES_CERTIFICATE_NAME));
    expect(await askTls(own)).toBe('plain:secret');
    const console = readFileSync(certificateFile(trial, 'gateway.test', PORTS.console));
    const keyOf = (pem: Buffer) => createPublicKey(pem).export({ type: 'spki', format: 'pem' });
    expect(keyOf(own)).not.toBe(keyOf(console));
    await expect(askTls(console)).rejects.toThrow(/self-signed|unable to verify/);
    (await opened(PORTS.https, own)).destroy();
    await expect(opened(PORTS.https, console)).rejects.toThrow(/self-signed|unable to verify/);
    (await opened(PORTS.console, console)).destroy();
  });

  it('lets no client in that does not speak it, and says that it is the client’s mistake', async () => {
    const { value } = await exposeTcp(trial, await echo(), { ssl: true });
    expect(await askTcp(value.port, 'GET / HTTP/1.1\r\n\r\n')).not.toContain('plain');
    expect(await loggedLines(trial, value.id, 1)).toMatchObject([{ st: '400', u: '' }]);
  });
});

describe('lists', () => {
  /** What the backend of UDP answers with. */
  const A_PORT = expect.stringMatching(/^\d+$/) as string;
  const LISTS = { allowedIps: ['127.0.0.0/8', '::1'], blockedIps: ['127.0.0.1'] };

  it('of a TCP service are for both families, and a block wins', async () => {
    const { value } = await exposeTcp(trial, await backend('lists'), LISTS);
    const answers = async () => [await askTcp(value.port, 'x'), await askTcp(value.port, 'x', '::1')];
    expect(await answers()).toEqual(['', 'lists:x']);
    await save(trial, (tx) => tx.tcpServices.update(value.id, { blockedIps: ['::/0'] }));
    expect(await answers()).toEqual(['lists:x', '']);
    await save(trial, (tx) => tx.tcpServices.update(value.id, { allowedIps: ['192.0.2.0/24'], blockedIps: null }));
    expect(await answers()).toEqual(['', '']);
  });

  it('of a UDP service are for both families, and a block wins', async () => {
    const { value } = await exposeUdp((await startUdpBackend()).port, LISTS);
    expect([await isSilent(value.port), await answerOf(value.port, '::1')]).toEqual([true, A_PORT]);
    await save(trial, (tx) => tx.tcpServices.update(value.id, { blockedIps: ['::/0'] }));
    expect([await answerOf(value.port), await isSilent(value.port, '::1')]).toEqual([A_PORT, true]);
    expect(await loggedLines(trial, value.id, 1)).toEqual(
      expect.arrayContaining([expect.objectContaining({ k: 'tcp', r: `UDP ${value.port}`, st: '403' })]),
    );
  });
});

describe('an exposed UDP port', () => {
  it('keeps the packets of each client on a session of their own', async () => {
    const packets = 300;
    // So many at a time as any socket's memory holds.
    const burst = 20;
    const { port, sessions } = await startUdpBackend();
    const { value, rejected } = await exposeUdp(port);
    expect(rejected).toBeNull();
    const sessionsOf = async (asking: ReturnType<typeof openUdpClient>): Promise<string[]> => {
      const seen = new Set<string>();
      for (let sent = 0; sent < packets; sent += burst) {
        for (const session of await asking.ask(burst)) seen.add(session);
      }
      return [...seen];
    };
    const [ofFirst, ofSecond] = await Promise.all(
      [openUdpClient(value.port), openUdpClient(value.port)].map(sessionsOf),
    );
    expect([ofFirst?.length, ofSecond?.length]).toEqual([1, 1]);
    expect(ofFirst).not.toEqual(ofSecond);
    expect([...sessions.values()]).toEqual([packets, packets]);
  });

  it('brings what the backend sends unasked, until it is disabled, and is back when it is enabled', async () => {
    const { port, push } = await startUdpBackend();
    const { value } = await exposeUdp(port);
    const asking = openUdpClient(value.port);
    await asking.ask(1);
    const unasked = asking.next();
    push();
    expect(await unasked).toBe('unasked');
    await save(trial, (tx) => tx.tcpServices.update(value.id, { enabled: false }));
    const late = asking.next();
    push();
    expect(await Promise.race([late, silence()])).toEqual([]);
    expect(await isSilent(value.port)).toBe(true);
    await save(trial, (tx) => tx.tcpServices.update(value.id, { enabled: true }));
    expect(await answerOf(value.port)).toMatch(/^\d+$/);
  });

  it('loses an answer under way at most when another service changes, and begins a new session', async () => {
    const { port, sessions } = await startUdpBackend();
    const { value } = await exposeUdp(port);
    const { value: other } = await exposeTcp(trial, port);
    const generation = (): number => trial.reconciler.state().generation;
    const first = generation();
    const asking = openUdpClient(value.port);
    let answers = 0;
    let changing = true;
    const lost = (async () => {
      let count = 0;
      while (changing) {
        const answer = await Promise.race([asking.ask(1), delay(ANSWER_LIMIT_MS, null)]);
        if (answer === null) count += 1;
        else answers += 1;
      }
      return count;
    })();
    for (let round = 0; round < CHANGES; round += 1) {
      await save(trial, (tx) => tx.tcpServices.update(other.id, { blockedIps: [`192.0.2.${round}`] }));
      // The first may still have been under way.
      const enough = answers + 2;
      await vi.waitFor(() => expect(answers).toBeGreaterThanOrEqual(enough));
    }
    changing = false;
    // An old worker has closed the socket on which it would pass the answer on, as at any reload of nginx.
    expect(await lost).toBeLessThanOrEqual(generation() - first);
    expect(await answerOf(value.port)).toMatch(/^\d+$/);
    expect(sessions.size).toBeGreaterThanOrEqual(CHANGES);
  });
});

describe('a port of another process', () => {
  const IN_USE = (port: number): string => `Port ${port} is in use by another process. Free it or choose another port.`;

  it('is refused to anyone who asks for it, and everything is as before', async () => {
    const stranger = await occupy(trial.tcpPort());
    const udpStranger = await startUdpBackend({ port: trial.tcpPort() });
    const { value } = await exposeTcp(trial, await backend('asker'));
    const { rejected } = await save(trial, (tx) => tx.tcpServices.update(value.id, { port: stranger.port }));
    expect(rejected).toBe(IN_USE(stranger.port));
    expect(await trial.store.tcpServices.get(value.id)).toEqual(value);
    expect(await askTcp(value.port, 'x')).toBe('asker:x');
    const udp = await exposeUdp(value.backendPort, { port: udpStranger.port });
    expect(udp.rejected).toBe(IN_USE(udpStranger.port));
    await Promise.all([stranger.stop(), udpStranger.stop()]);
  });

  it('closes that service alone at the start, which opens by itself when the port is free', async () => {
    const { value: victim } = await exposeTcp(trial, await backend('victim'));
    const { value: bystander } = await exposeTcp(trial, await backend('bystander'));
    const { value: udpVictim } = await exposeUdp((await startUdpBackend()).port);
    await trial.reconciler.stop();
    await trial.ingress.stop();
    const stranger = await occupy(victim.port);
    const udpStranger = await startUdpBackend({ port: udpVictim.port });
    expect(await trial.restart()).toEqual({ problem: null });
    for (const { id, port } of [victim, udpVictim]) expect(problemOf(id)).toBe(IN_USE(port));
    expect(await askTcp(bystander.port, 'x')).toBe('bystander:x');
    const { rejected } = await exposeTcp(trial, bystander.backendPort);
    expect(rejected).toBeNull();
    await Promise.all([stranger.stop(), udpStranger.stop()]);
    for (const { id } of [victim, udpVictim]) await vi.waitFor(() => expect(problemOf(id)).toBeNull());
    expect(await askTcp(victim.port, 'x')).toBe('victim:x');
    expect(await answerOf(udpVictim.port)).toMatch(/^\d+$/);
  });
});
