import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOpenConnections, type ConnectionTarget } from './openConnections.ts';
import type { ConfigFile } from './ingress.ts';
import { hasNetworkRights } from '../../machine/ownProcess.ts';
import { type NginxTrial, openNginxTrial, trialConfig } from '../../testing/nginxTrial.ts';
import { freePorts } from '../../testing/freePorts.ts';
import { startBackend } from '../../testing/reconcileTrial.ts';
import { startTcpBackend } from '../../testing/tcpTrial.ts';
import { echoUpgrade, endOf } from '../../testing/wire.ts';

const [PORT = 0, tcp = 0, otherTcp = 0, udp = 0, otherUdp = 0] = await freePorts(5);
const PUBLIC = { tcp, otherTcp, udp, otherUdp };

let trial: NginxTrial;
const closers: (() => unknown)[] = [];
beforeEach(({ skip }) => skip(!hasNetworkRights(), 'only root may end connections, and not in every container'));
beforeAll(async () => {
  trial = await openNginxTrial(PORT);
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});
afterAll(() => trial.close());

/** What goes through nginx and back: an echo that was asked for, and the end. */
type Line = { echo(): Promise<void>; ended: Promise<unknown> };

const lineOf = (socket: Duplex): Line => {
  closers.push(() => socket.destroy());
  const ended = endOf(socket);
  return {
    echo: async () => {
      socket.write('ping');
      const [answer]: unknown[] = await once(socket, 'data');
      expect(String(answer)).toBe('ping');
    },
    ended,
  };
};

/** A server that takes every connection for a WebSocket, and sends back what it gets. */
const startHttp = async (host: string): Promise<number> => {
  const accept: typeof echoUpgrade = (asked, socket) => {
    closers.push(() => socket.destroy());
    echoUpgrade(asked, socket);
  };
  const { port, stop } = await startBackend(() => undefined, accept, host);
  closers.push(stop);
  return port;
};

const startTcp = async (host: string): Promise<number> => {
  const { port, stop } = await startTcpBackend((socket) => void socket.pipe(socket), host);
  closers.push(stop);
  return port;
};

const startUdp = async (host: string): Promise<{ port: number; socket: UdpSocket }> => {
  const socket = createSocket(host === '::1' ? 'udp6' : 'udp4');
  socket.bind(0, host);
  await once(socket, 'listening');
  closers.push(() => socket.close());
  return { port: socket.address().port, socket };
};

const upgrade = async (path: string): Promise<Line> => {
  const headers = { connection: 'upgrade', upgrade: 'echo' };
  const asked = request({ host: '127.0.0.1', port: PORT, path, headers, agent: false });
  asked.end();
  const [, socket] = (await once(asked, 'upgrade')) as [unknown, Socket];
  return lineOf(socket);
};

const dial = async (port: number, localAddress = '127.0.0.1'): Promise<Line> => {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  await once(socket, 'connect');
  return lineOf(socket);
};

type Sender = { port: number; address: string };

/** A visitor whose datagram has reached its backend, and where it came from there. */
const greet = async (port: number, backend: UdpSocket): Promise<{ client: UdpSocket; sender: Sender }> => {
  const client = createSocket('udp4');
  closers.push(() => client.close());
  client.send('hello', port, '127.0.0.1');
  const [, sender] = (await once(backend, 'message')) as [Buffer, Sender];
  return { client, sender };
};

/** No one is there any more: the machine itself answers that the port is closed. */
const refused = async (socket: UdpSocket, port: number, address: string): Promise<void> => {
  socket.connect(port, address);
  await once(socket, 'connect');
  const answered = once(socket, 'message');
  socket.send('news');
  await expect(answered).rejects.toThrow('ECONNREFUSED');
};

const backendAt = (host: string, port: number) => ({ kind: 'backend', protocol: 'tcp', address: host, port }) as const;
const peer = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

const httpConfig = (services: Record<string, string>): ConfigFile[] => {
  const locations = Object.entries(services).map(
    ([path, backend]) => `location ${path} {
      proxy_pass http://${backend};
      proxy_http_version 1.1;
      proxy_set_header Connection upgrade;
      proxy_set_header Upgrade $http_upgrade;
    }`,
  );
  return trialConfig(trial.ingress.layout, PORT, 'openConnections').map(({ path, text }) => ({
    path,
    text: text.replace('location /acme/', () => `${locations.join('\n')}\nlocation /acme/`),
  }));
};

const streamConfig = (servers: readonly { listen: string; backend: string }[]): ConfigFile[] => {
  const { streamModule } = trial.ingress.layout;
  const blocks = servers.map(({ listen, backend }) => `server { listen ${listen};\n proxy_pass ${backend}; }`);
  return trialConfig(trial.ingress.layout, PORT, 'openConnections').map(({ path, text }) => ({
    path,
    text: `${streamModule === null ? '' : `load_module ${streamModule};`}\n${text}\nstream {\n${blocks.join('\n')}\n}\n`,
  }));
};

const apply = async (files: ConfigFile[]): Promise<void> => {
  expect(await trial.ingress.apply(files)).toMatchObject({ ok: true });
};

const TUNNEL = { gateway: '10.88.0.1', network: '10.88.0.0/16' };
const cutAs = (tunnel: typeof TUNNEL, ...targets: ConnectionTarget[]): Promise<number | null> => {
  const openConnections = createOpenConnections(trial.ingress.layout, tunnel);
  return openConnections.cut(targets, openConnections.closing());
};
const cut = (...targets: ConnectionTarget[]): Promise<number | null> => cutAs(TUNNEL, ...targets);

/** Less than workers that close keep what is open, and more than a busy machine takes. */
const END_LIMIT_MS = 20_000;
const LATE = 'not ended';
const endSoon = async (...lines: Line[]): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const timer = setTimeout(() => resolve(LATE), END_LIMIT_MS);
  const ended = Promise.all(lines.map((line) => line.ended));
  expect(await Promise.race([ended, promise]).finally(() => clearTimeout(timer))).not.toBe(LATE);
};

describe.each(['127.0.0.1', '::1'])('open connections to a backend on %s', (host) => {
  it('of an HTTP service are cut when it is closed, and only they', async () => {
    const [gone, kept] = [await startHttp(host), await startHttp(host)];
    await apply(httpConfig({ '/gone': peer(host, gone), '/kept': peer(host, kept) }));
    const [closed, open] = [await upgrade('/gone'), await upgrade('/kept')];
    await Promise.all([closed.echo(), open.echo()]);
    await apply(httpConfig({ '/kept': peer(host, kept) }));
    await closed.echo();
    expect(await cut(backendAt(host, gone))).toBe(1);
    await endSoon(closed);
    await open.echo();
  });

  it('are cut from wherever they come, where the gateway itself leads to a node', async () => {
    const gone = await startHttp(host);
    await apply(httpConfig({ '/gone': peer(host, gone) }));
    const closed = await upgrade('/gone');
    await closed.echo();
    await apply(httpConfig({}));
    const own = { gateway: '127.0.0.1', network: '127.0.0.0/8' };
    expect(await cutAs(own, { ...backendAt(host, gone), through: 'machine' })).toBe(1);
    await endSoon(closed);
  });

  it('of a TCP service are cut when it is closed, and only they', async () => {
    const [gone, kept] = [await startTcp(host), await startTcp(host)];
    const other = { listen: `127.0.0.1:${PUBLIC.otherTcp}`, backend: peer(host, kept) };
    await apply(streamConfig([{ listen: `127.0.0.1:${PUBLIC.tcp}`, backend: peer(host, gone) }, other]));
    const [closed, open] = [await dial(PUBLIC.tcp), await dial(PUBLIC.otherTcp)];
    await Promise.all([closed.echo(), open.echo()]);
    await apply(streamConfig([other]));
    await closed.echo();
    expect(await cut({ kind: 'public', port: PUBLIC.tcp })).toBe(1);
    await endSoon(closed);
    await open.echo();
  });

  it('of a UDP service are cut when it is closed, and only they', async () => {
    const [gone, kept] = [await startUdp(host), await startUdp(host)];
    const other = { listen: `127.0.0.1:${PUBLIC.otherUdp} udp reuseport`, backend: peer(host, kept.port) };
    await apply(
      streamConfig([{ listen: `127.0.0.1:${PUBLIC.udp} udp reuseport`, backend: peer(host, gone.port) }, other]),
    );
    const [closed, open] = [await greet(PUBLIC.udp, gone.socket), await greet(PUBLIC.otherUdp, kept.socket)];
    await apply(streamConfig([other]));
    expect(await cut({ ...backendAt(host, gone.port), protocol: 'udp' })).toBe(1);
    await refused(closed.client, PUBLIC.udp, '127.0.0.1');
    await refused(gone.socket, closed.sender.port, closed.sender.address);
    // nginx moves a visitor's datagrams to its new workers; the backend answers where they come from now.
    open.client.send('again', PUBLIC.otherUdp, '127.0.0.1');
    const [, sender] = (await once(kept.socket, 'message')) as [Buffer, Sender];
    kept.socket.send('answer', sender.port, sender.address);
    expect(String((await once(open.client, 'message'))[0])).toBe('answer');
  });
});

describe('a cut', () => {
  it('leaves alone who has come to the same backend since', async () => {
    const backend = await startHttp('127.0.0.1');
    const files = httpConfig({ '/same': peer('127.0.0.1', backend) });
    await apply(files);
    const before = await upgrade('/same');
    await apply(files);
    const after = await upgrade('/same');
    expect(await cut(backendAt('127.0.0.1', backend))).toBe(1);
    await endSoon(before);
    await after.echo();
  });

  it('tells what comes from the address of the tunnel from what does not', async () => {
    const host = '127.0.0.1';
    const gone = await startHttp(host);
    const backend = backendAt(host, gone);
    const inTunnel = { ...TUNNEL, gateway: host };
    for (const [through, others, own] of [
      ['tunnel', TUNNEL, inTunnel],
      ['machine', inTunnel, TUNNEL],
    ] as const) {
      await apply(httpConfig({ '/gone': peer(host, gone) }));
      const closed = await upgrade('/gone');
      await closed.echo();
      await apply(httpConfig({}));
      expect(await cutAs(others, { ...backend, through })).toBe(0);
      await closed.echo();
      expect(await cutAs(own, { ...backend, through })).toBe(1);
      await endSoon(closed);
    }
  });

  it('of some visitors of a port leaves the others', async () => {
    const backend = await startTcp('127.0.0.1');
    const files = streamConfig([{ listen: `127.0.0.1:${PUBLIC.tcp}`, backend: peer('127.0.0.1', backend) }]);
    await apply(files);
    const [blocked, allowed] = [await dial(PUBLIC.tcp, '127.0.0.9'), await dial(PUBLIC.tcp, '127.0.1.9')];
    await Promise.all([blocked.echo(), allowed.echo()]);
    await apply(files);
    expect(await cut({ kind: 'public', port: PUBLIC.tcp, clients: [] })).toBe(0);
    expect(await cut({ kind: 'public', port: PUBLIC.tcp, clients: ['2001:db8::/32', '127.0.0.0/24'] })).toBe(1);
    await endSoon(blocked);
    await allowed.echo();
    expect(await cut({ kind: 'public', port: PUBLIC.tcp, clients: ['::/0'] })).toBe(0);
    await allowed.echo();
    expect(await cut({ kind: 'public', port: PUBLIC.tcp, clients: ['0.0.0.0/0'] })).toBe(1);
    await endSoon(allowed);
  });

  it('ends hundreds of connections at once', async () => {
    const backend = await startTcp('127.0.0.1');
    await apply(streamConfig([{ listen: `127.0.0.1:${PUBLIC.tcp}`, backend: peer('127.0.0.1', backend) }]));
    const lines = await Promise.all(Array.from({ length: 220 }, () => dial(PUBLIC.tcp)));
    await Promise.all(lines.map((line) => line.echo()));
    await apply(streamConfig([]));
    const others = Array.from({ length: 450 }, (_, index) => backendAt('192.0.2.1', 1 + index));
    expect(await cut(...others, { kind: 'public', port: PUBLIC.tcp })).toBe(lines.length);
    await endSoon(...lines);
  });

  it('says when the machine does not let it', async () => {
    const backend = await startTcp('127.0.0.1');
    await apply(streamConfig([{ listen: `127.0.0.1:${PUBLIC.tcp}`, backend: peer('127.0.0.1', backend) }]));
    const line = await dial(PUBLIC.tcp);
    await line.echo();
    await apply(streamConfig([]));
    const target: ConnectionTarget = { kind: 'public', port: PUBLIC.tcp };
    const among = createOpenConnections(trial.ingress.layout, TUNNEL).closing();
    expect(await createOpenConnections(trial.ingress.layout, TUNNEL, '/nowhere/ss').cut([target], among)).toBeNull();
    // One that ends nothing and says nothing, as where the kernel cannot.
    const toothless = join(trial.data.path, 'ss');
    writeFileSync(toothless, '#!/bin/sh\ncase "$1" in *K) exit 0;; esac\nexec ss "$@"\n', { mode: 0o755 });
    expect(await createOpenConnections(trial.ingress.layout, TUNNEL, toothless).cut([target], among)).toBeNull();
    await line.echo();
  });

  it('takes no words that are no addresses', async () => {
    const address = '127.0.0.1:1 or dst 0.0.0.0/0';
    await expect(cut(backendAt(address, 1))).rejects.toThrow(TypeError);
    await expect(cut({ kind: 'public', port: 1, clients: ['0.0.0.0/0 or'] })).rejects.toThrow(TypeError);
  });

  it('reaches what the workers of a killed master have open', async () => {
    const [gone, kept] = [await startHttp('127.0.0.1'), await startHttp('127.0.0.1')];
    const files = httpConfig({ '/gone': peer('127.0.0.1', gone), '/kept': peer('127.0.0.1', kept) });
    await apply(files);
    const [closed, open] = [await upgrade('/gone'), await upgrade('/kept')];
    const died = new Promise<void>((resolve) => trial.ingress.onDeath(resolve));
    await trial.crash();
    await died;
    await apply(files);
    await Promise.all([closed.echo(), open.echo()]);
    await apply(httpConfig({ '/kept': peer('127.0.0.1', kept) }));
    expect(await cut(backendAt('127.0.0.1', gone))).toBe(1);
    await endSoon(closed);
    await open.echo();
  });
});

describe('what old workers hold open', () => {
  const host = '127.0.0.1';
  /** As if the backends here were those of nodes. */
  const limit = (nodes: string[][], most: number): Promise<number> =>
    createOpenConnections(trial.ingress.layout, { ...TUNNEL, gateway: host }).limit(nodes, most);

  // What the tests before left of UDP.
  beforeEach(() => limit([], 100));

  it('is limited for each node in the tunnel, the oldest first, and not for others', async () => {
    const node = '127.0.0.77';
    const files = httpConfig({ '/same': peer(node, await startHttp(node)) });
    await apply(files);
    const oldest = [await upgrade('/same'), await upgrade('/same')];
    await apply(files);
    const older = await upgrade('/same');
    await apply(files);
    const open = await upgrade('/same');
    expect(await limit([['127.0.0.2']], 1)).toBe(0);
    expect(await limit([['192.0.2.0/24'], ['127.0.0.76/30']], 3)).toBe(0);
    expect(await limit([['192.0.2.0/24'], ['127.0.0.76/30']], 1)).toBe(2);
    await endSoon(...oldest);
    await Promise.all([older.echo(), open.echo()]);
  });

  it('is nothing of UDP, of which it could pass on no answer', async () => {
    const { socket, port } = await startUdp(host);
    const files = streamConfig([{ listen: `127.0.0.1:${PUBLIC.udp} udp reuseport`, backend: peer(host, port) }]);
    await apply(files);
    const before = await greet(PUBLIC.udp, socket);
    await apply(files);
    const after = await greet(PUBLIC.udp, socket);
    expect(await limit([], 100)).toBe(1);
    socket.send('answer', after.sender.port, after.sender.address);
    expect(String((await once(after.client, 'message'))[0])).toBe('answer');
    await refused(socket, before.sender.port, before.sender.address);
  });
});

it('keeps the record of what is open, for the gateway alone', () => {
  const { layout } = trial.ingress;
  expect(createOpenConnections(layout, TUNNEL).recorded()).toBeNull();
  createOpenConnections(layout, TUNNEL).record('first');
  createOpenConnections(layout, TUNNEL).record('second');
  expect(createOpenConnections(layout, TUNNEL).recorded()).toBe('second');
  expect(statSync(join(layout.directory, 'open-services.json')).mode & 0o777).toBe(0o600);
});
