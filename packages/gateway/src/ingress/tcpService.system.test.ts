import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TCP_CERTIFICATE_NAME } from './preparation.ts';
import { hasNetworkRights } from '../machine/ownProcess.ts';
import {
  certificateFile,
  domainRow,
  openReconcileTrial,
  type ReconcileTrial,
  save,
} from '../testing/reconcileTrial.ts';
import { askTcp, exposeTcp, loggedLines, startTcpBackend } from '../testing/tcpTrial.ts';

let trial: ReconcileTrial;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  // Nobody listens on the first address.
  const resolve = () => Promise.resolve(['127.0.0.2', '127.0.0.1']);
  trial = await openReconcileTrial({ listen: ['127.0.0.1', '[::1]'], resolve });
});
afterAll(async () => {
  await trial.close();
  await Promise.all(stops.map((stop) => stop()));
});

/** Answers with its own name and what it was sent, once the client has said all. */
const backend = async (name: string): Promise<number> => {
  const { port, stop } = await startTcpBackend((socket) => {
    void text(socket).then((words) => socket.end(`${name}:${words}`));
  });
  stops.push(stop);
  return port;
};
const problemOf = (id: number): string | null => trial.reconciler.problem('tcpService', id);
const refused = (port: number): Promise<string> =>
  askTcp(port, '').then(
    () => 'open',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
  );
/** Listens as another program of this machine would. */
const occupy = async (port: number) => {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  await once(server, 'listening');
  return async (): Promise<void> => {
    server.close();
    await once(server, 'close');
  };
};

describe('an exposed port', () => {
  it('carries bytes both ways, at once and unchanged', async () => {
    const { port, stop } = await startTcpBackend((socket) => void socket.pipe(socket));
    stops.push(stop);
    const { value, rejected } = await exposeTcp(trial, port);
    expect(rejected).toBeNull();
    const socket = connect({ host: '127.0.0.1', port: value.port });
    for (const words of ['first', '\0\x01\r\n\xff', 'third']) {
      socket.write(words, 'latin1');
      expect(((await once(socket, 'data')) as [Buffer])[0].toString('latin1')).toBe(words);
    }
    // Another service's change, and with it a reload, does not cut it.
    await exposeTcp(trial, port);
    socket.write('fourth');
    expect(String((await once(socket, 'data'))[0])).toBe('fourth');
    socket.destroy();
    const large = 'x'.repeat(4_000_000);
    expect((await askTcp(value.port, large)).length).toBe(large.length);
  });

  it('answers a client that has said all it has to say', async () => {
    const { value } = await exposeTcp(trial, await backend('half'));
    expect(await askTcp(value.port, 'question')).toBe('half:question');
  });

  it('leads to the second address of a name when the first does not answer', async () => {
    const { value } = await exposeTcp(trial, await backend('second'), { backendHost: 'pair.test' });
    for (const words of ['a', 'b', 'c']) expect(await askTcp(value.port, words)).toBe(`second:${words}`);
  });

  it('is closed when it is disabled, and the port is free for others', async () => {
    const { value } = await exposeTcp(trial, await backend('switch'));
    await save(trial, (tx) => tx.tcpServices.update(value.id, { enabled: false }));
    expect(await refused(value.port)).toBe('ECONNREFUSED');
    await (
      await occupy(value.port)
    )();
    await save(trial, (tx) => tx.tcpServices.update(value.id, { enabled: true }));
    expect(await askTcp(value.port, 'again')).toBe('switch:again');
    await save(trial, (tx) => tx.tcpServices.remove(value.id));
    expect(await refused(value.port)).toBe('ECONNREFUSED');
  });

  it('ends its open connections when it is closed, and those of nobody else', async ({ skip }) => {
    skip(!hasNetworkRights(), 'only root may end connections, and not in every container');
    const { port, stop } = await startTcpBackend((socket) => void socket.pipe(socket));
    stops.push(stop);
    const [{ value: closing }, { value: staying }] = [await exposeTcp(trial, port), await exposeTcp(trial, port)];
    const open = async (to: number) => {
      const socket = connect({ host: '127.0.0.1', port: to });
      socket.on('error', () => undefined);
      socket.write('hello');
      await once(socket, 'data');
      return socket;
    };
    const [ending, going] = await Promise.all([open(closing.port), open(staying.port)]);
    const ended = new Promise((done) => void ending.once('close', done));
    await save(trial, (tx) => tx.tcpServices.update(closing.id, { enabled: false }));
    await ended;
    going.write('still here');
    expect(String((await once(going, 'data'))[0])).toBe('still here');
    going.destroy();
  });

  it('moves to another port', async () => {
    const { value } = await exposeTcp(trial, await backend('moves'));
    const { value: other } = await exposeTcp(trial, value.backendPort);
    await save(trial, (tx) => tx.tcpServices.remove(other.id));
    await save(trial, (tx) => tx.tcpServices.update(value.id, { port: other.port }));
    expect([await refused(value.port), await askTcp(other.port, 'x')]).toEqual(['ECONNREFUSED', 'moves:x']);
  });

  it('is not opened when it leads back to the gateway', async () => {
    const { value: own } = await exposeTcp(trial, 3000);
    const { value: self } = await exposeTcp(trial, await backend('self'));
    const { rejected } = await save(trial, (tx) => tx.tcpServices.update(self.id, { backendPort: self.port }));
    expect(rejected).toBeNull();
    for (const { id, port } of [own, self]) {
      expect(problemOf(id)).toContain('leads back to the gateway');
      expect(await refused(port)).toBe('ECONNREFUSED');
    }
  });
});

describe('its lists', () => {
  it.each([
    ['no list', {}, true, true],
    ['a block of IPv4', { blockedIps: ['127.0.0.0/8'] }, false, true],
    ['a block of IPv6', { blockedIps: ['::1'] }, true, false],
    ['leave for others', { allowedIps: ['192.0.2.0/24', '2001:db8::/32'] }, false, false],
    ['leave for IPv6 alone', { allowedIps: ['::/64'] }, false, true],
    ['a block within what is allowed', { allowedIps: ['127.0.0.0/8', '::1'], blockedIps: ['127.0.0.1'] }, false, true],
  ])('keep to it: %s', async (_, lists, fromIpv4, fromIpv6) => {
    const { value } = await exposeTcp(trial, await backend('lists'), lists);
    expect({
      fromIpv4: (await askTcp(value.port, 'x')) === 'lists:x',
      fromIpv6: (await askTcp(value.port, 'x', '::1')) === 'lists:x',
    }).toEqual({ fromIpv4, fromIpv6 });
    await save(trial, (tx) => tx.tcpServices.remove(value.id));
  });
});

describe('TLS', () => {
  const askTls = async (port: number, servername: string, ca: Buffer): Promise<string> => {
    const socket = connectTls({ host: '127.0.0.1', port, servername, ca });
    await once(socket, 'secureConnect');
    socket.write('secret');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return answer.toString();
  };
  const echo = async (): Promise<number> => {
    const { port, stop } = await startTcpBackend((socket) => {
      socket.on('data', (words) => socket.write(`plain:${String(words)}`));
      socket.on('end', () => socket.end());
    });
    stops.push(stop);
    return port;
  };

  it('ends at the gateway, with the certificate of the domain; the backend sees plain text', async () => {
    const host = 'tls.example.test';
    await save(trial, (tx) => tx.domains.create(domainRow(host)));
    const { value } = await exposeTcp(trial, await echo(), { domain: host, ssl: true });
    expect(await askTls(value.port, host, readFileSync(certificateFile(trial, host)))).toBe('plain:secret');
    const [domain] = await trial.store.domains.all({ domain: host });
    expect(await loggedLines(trial, value.id, 1)).toMatchObject([{ d: String(domain?.id), st: '200' }]);
  });

  it('has a certificate of its own without a domain, with another key than the console’s', async () => {
    const { value } = await exposeTcp(trial, await echo(), { ssl: true });
    const own = readFileSync(certificateFile(trial, TCP_CERTIFICATE_NAME));
    expect(await askTls(value.port, 'gateway.test', own)).toBe('plain:secret');
    const console = readFileSync(certificateFile(trial, 'gateway.test'));
    const keyOf = (pem: Buffer) => createPublicKey(pem).export({ type: 'spki', format: 'pem' });
    expect(keyOf(own)).not.toBe(keyOf(console));
    await expect(askTls(value.port, 'gateway.test', console)).rejects.toThrow(/self-signed|unable to verify/);
  });

  it('lets nobody in who does not speak it, and says that it is the client’s mistake', async () => {
    const { value } = await exposeTcp(trial, await echo(), { ssl: true });
    expect(await askTcp(value.port, 'GET / HTTP/1.1\r\n\r\n')).not.toContain('plain');
    expect(await loggedLines(trial, value.id, 1)).toMatchObject([{ st: '400', u: '' }]);
  });
});

describe('its log', () => {
  it('has a line for each connection, with what became of it', async () => {
    const backendPort = await backend('logged');
    const { value } = await exposeTcp(trial, backendPort, { blockedIps: ['::1'] });
    await askTcp(value.port, 'x');
    await askTcp(value.port, 'x', '::1');
    const lines = await loggedLines(trial, value.id, 2);
    const line = { d: '', s: String(value.id), k: 'tcp', r: `TCP ${value.port}` };
    expect(lines.find(({ c }) => c === '127.0.0.1')).toMatchObject({
      ...line,
      st: '200',
      b: '8',
      u: `127.0.0.1:${backendPort}`,
      t: expect.stringMatching(/^\d{10}\.\d{3}$/),
      ms: expect.stringMatching(/^\d+\.\d{3}$/),
    });
    expect(lines.find(({ c }) => c === '::1')).toMatchObject({ ...line, st: '403', u: '' });
  });

  it('says that nobody answers', async () => {
    const { port, stop } = await startTcpBackend(() => undefined);
    await stop();
    const { value } = await exposeTcp(trial, port);
    expect(await askTcp(value.port, 'x')).toBe('');
    expect(await loggedLines(trial, value.id, 1)).toMatchObject([{ st: '502', u: `127.0.0.1:${port}` }]);
  });
});

describe('a port of another process', () => {
  it('is refused to anyone who asks for it, and everything is as before', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { value } = await exposeTcp(trial, await backend('asker'));
    const { rejected } = await save(trial, (tx) => tx.tcpServices.update(value.id, { port }));
    expect(rejected).toBe(`Port ${port} is in use by another process. Free it or choose another port.`);
    expect(await trial.store.tcpServices.get(value.id)).toEqual(value);
    expect(await askTcp(value.port, 'x')).toBe('asker:x');
    server.close();
  });

  it('closes that service alone at the start, which opens by itself when the port is free', async () => {
    const { value: victim } = await exposeTcp(trial, await backend('victim'));
    const { value: bystander } = await exposeTcp(trial, await backend('bystander'));
    await trial.reconciler.stop();
    await trial.ingress.stop();
    const release = await occupy(victim.port);
    expect(await trial.restart()).toEqual({ problem: null });
    expect(problemOf(victim.id)).toBe(
      `Port ${victim.port} is in use by another process. Free it or choose another port.`,
    );
    expect(await askTcp(bystander.port, 'x')).toBe('bystander:x');
    const { rejected } = await exposeTcp(trial, bystander.backendPort);
    expect(rejected).toBeNull();
    await release();
    await vi.waitFor(() => expect(problemOf(victim.id)).toBeNull(), 20_000);
    expect(await askTcp(victim.port, 'x')).toBe('victim:x');
  });
});
