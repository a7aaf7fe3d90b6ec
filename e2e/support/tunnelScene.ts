import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type GatewayOptions, type GatewayProcess, startGateway } from './gateway.ts';
import { type Namespace, openNamespaces, sweepNamespaces } from './namespaces.ts';
import { createInterface } from 'node:readline';
import type { ChildProcess } from 'node:child_process';

/** The script of visitors, which `node` runs. */
export const VISITOR = path.resolve(import.meta.dirname, 'visitor.mjs');
const SERVERS = path.resolve(import.meta.dirname, 'echoServers.mjs');
const POLL_MS = 50;

/** Where the gateway is for the world outside. */
export const GATEWAY = '198.18.0.1';
export const PORTS = { http: 8080, tcp: 9000, udp: 9001 };

export type Json = Record<string, unknown>;

/** A gateway in a network of its own, and what is around it. */
export type TunnelScene = {
  gateway: GatewayProcess;
  /** Where the gateway runs. */
  home: Namespace;
  /** Someone out there. */
  outside: Namespace;
  /** The name of the tunnel's interface. */
  tunnel: string;
  /** Calls the API, signed in. */
  api(call: string, body?: object): Promise<{ status: number; body: Json }>;
  /** Opens an event stream, signed in; calls back with each message. Returns the way to end it. */
  stream(target: string, onMessage: (message: Json) => void): Promise<() => void>;
  /** Another network out there, with an address of 198.18.0.0/24. */
  host(label: string, address: string): Promise<Namespace>;
  /** A network behind a host that hides it: as at home. */
  behind(router: Namespace, label: string, network: string): Promise<Namespace>;
  /** Answers HTTP, TCP and UDP there, at this address alone. */
  serve(where: Namespace, address: string, word: string): Promise<void>;
  /**
   * Brings a node's tunnel up with wg-quick, from the file that the gateway gives.
   * @param programs directories that it looks for programs in; by default those of the test
   */
  join(
    where: Namespace,
    nodeId: number,
    programs?: string,
  ): Promise<{ file: string; interface: string; down(): Promise<void> }>;
  /** What a visitor outside gets. */
  visit(service: string): Promise<string>;
  /** Waits until it is a page like this. */
  served(service: string, page?: RegExp, limitMs?: number): Promise<string>;
  visitTcp(port: number, word: string, how?: 'tcp' | 'udp'): Promise<string>;
  /** Asks so often a second until it is ended; the first of them is over when this is. */
  visitSteadily(service: string, perSecond: number, wanted: string): Promise<SteadyVisits>;
  /** When WireGuard last shook hands with each node, in seconds, by their public keys. */
  handshakes(): Promise<Map<string, number>>;
  /** How many bytes WireGuard itself has counted as received from the node with this address. */
  carriedFrom(address: unknown): Promise<number>;
  uniqueName(): string;
  close(): Promise<void>;
};

/** A session that is used is followed by another one after so long, by WireGuard itself. */
const SESSION_SECONDS = 120;

/** The nodes that began a session before the one that they had was over. */
export const begunAgain = (before: Map<string, number>, after: Map<string, number>): string[] =>
  [...before].flatMap(([key, at]) => {
    const later = (after.get(key) ?? 0) - at;
    return later === 0 || later >= SESSION_SECONDS ? [] : [key];
  });

/** Waits until a look finds what it should. */
export async function eventually<T>(
  look: () => Promise<T>,
  isRight: (found: T) => boolean,
  limitMs = 30_000,
): Promise<T> {
  const limit = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (isRight(found)) return found;
    if (Date.now() > limit) throw new Error(`not within ${limitMs} ms; last: ${JSON.stringify(found)}`);
    await delay(POLL_MS);
  }
}

/** Starts a script of Node somewhere; what it says, and the wait until its last words are these. */
export function startScript(where: Namespace, script: string) {
  const child = where.spawn(process.execPath, '-e', script);
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return {
    said: () => said,
    say: (word: string) => void child.stdin?.write(word),
    hear: (words: string) =>
      eventually(
        async () => said,
        (text) => text.endsWith(words),
      ),
  };
}

/** So long an answer is awaited. */
const ANSWER_SECONDS = 15;
/** So long none must come where none should. */
export const SILENCE_SECONDS = 1;

/** What is served by plain HTTP at an address, as seen from somewhere; `nothing` when it does not answer in time. */
export const pageFrom = (from: Namespace, address: string, seconds = ANSWER_SECONDS): Promise<string> =>
  from.exec('curl', '--silent', '--max-time', String(seconds), `http://${address}/`).catch(() => 'nothing');

/** `launcher` runs the gateway within the gateway's network. */
export type TunnelSceneOptions = Pick<GatewayOptions, 'env' | 'launcher' | 'nodeArguments' | 'ipc' | 'data'> & {
  /** Done before the gateway starts. */
  prepare?(
    home: Namespace,
    tunnel: string,
    around: Pick<TunnelScene, 'host' | 'serve' | 'uniqueName'>,
  ): Promise<unknown>;
};

export async function openTunnelScene(options: TunnelSceneOptions = {}): Promise<TunnelScene> {
  await sweepNamespaces();
  const spaces = openNamespaces();
  const files = await mkdtemp(path.join(tmpdir(), 'sallyport-tunnel-'));
  const net = await spaces.add('net');
  await net.exec('ip', 'link', 'add', 'br0', 'type', 'bridge');
  await net.exec('ip', 'link', 'set', 'br0', 'up');
  const host = async (label: string, address: string): Promise<Namespace> => {
    const made = await spaces.add(label);
    const port = spaces.uniqueName().replace(/^sp/, 'br');
    await spaces.link([made, 'eth0', `${address}/24`], [net, port, null]);
    await net.exec('ip', 'link', 'set', port, 'master', 'br0');
    return made;
  };
  const serve: TunnelScene['serve'] = async (where, address, word) => {
    const server = where.spawn(process.execPath, SERVERS, address, word, ...Object.values(PORTS).map(String));
    if (server.stdout === null) throw new Error('The servers have no output.');
    await once(server.stdout, 'data');
  };
  const home = await host('gateway', GATEWAY);
  const outside = await host('outside', '198.18.0.9');
  const tunnel = spaces.uniqueName();
  const { prepare, launcher = [], env, ...more } = options;
  const start = async (): Promise<GatewayProcess> => {
    await prepare?.(home, tunnel, { host, serve, uniqueName: spaces.uniqueName });
    return startGateway({
      ...more,
      host: GATEWAY,
      namespace: home,
      launcher: ['ip', 'netns', 'exec', home.name, ...launcher],
      env: { SALLYPORT_TUNNEL: 'on', SALLYPORT_VPN_INTERFACE: tunnel, ...env },
    });
  };
  const gateway = await start().catch(async (error: unknown) => {
    await spaces.close();
    await rm(files, { recursive: true, force: true });
    throw error;
  });
  let token = '';
  const ask = async (method: string, target: string, body?: object): Promise<IncomingMessage> => {
    const socketPath = path.join(gateway.data, 'ingress/run/gateway.sock');
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const asked = request({ socketPath, method, path: target, headers });
    // A gateway that is killed breaks off what it answers, too.
    asked.on('error', () => undefined);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return response.setEncoding('utf8');
  };
  const raw = async (method: string, target: string, body?: object) => {
    const response = await ask(method, target, body);
    return { status: response.statusCode ?? 0, text: await textOf(response) };
  };
  const api: TunnelScene['api'] = async (call, body) => {
    const [method = '', target = ''] = call.split(' ');
    const { status, text } = await raw(method, target, body);
    const value: unknown = text.startsWith('{') ? JSON.parse(text) : { text };
    return { status, body: value as Json };
  };
  const login = { username: gateway.username, password: gateway.password };
  token = String((await api('POST /api/auth/login', login)).body['token']);

  const visit = (service: string): Promise<string> =>
    outside.exec(
      'curl',
      // At a reload nginx 1.22 says GOAWAY to a new HTTP/2 connection; a browser asks again, curl does not.
      ...`--http1.1 --silent --insecure --max-time ${ANSWER_SECONDS} --write-out`.split(' '),
      ' %{http_code}',
      `https://${GATEWAY}:${gateway.ports.https}${service}`,
    );
  /** A table of WireGuard's, a line for each node. */
  const shown = async (what: string): Promise<string[][]> =>
    (await home.exec('wg', 'show', tunnel, what))
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
  const visitor = (...args: string[]): Promise<string> => outside.exec(process.execPath, VISITOR, ...args);
  return {
    gateway,
    home,
    outside,
    tunnel,
    api,
    async stream(target, onMessage) {
      const response = await ask('GET', target);
      let text = '';
      response.on('data', (chunk: string) => {
        text += chunk;
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          const message = /^data: ?(.*)$/m.exec(event)?.[1];
          if (message !== undefined) onMessage(JSON.parse(message) as Json);
        }
      });
      response.on('error', () => undefined);
      return () => void response.destroy();
    },
    host,
    async behind(router, label, network) {
      const made = await spaces.add(label);
      await spaces.link([made, 'eth0', `${network}.2/24`], [router, 'eth1', `${network}.1/24`]);
      await made.exec('ip', 'route', 'add', 'default', 'via', `${network}.1`);
      return made;
    },
    serve,
    async join(where, nodeId, programs = process.env['PATH'] ?? '') {
      const { status, text } = await raw('GET', `/api/nodes/${nodeId}/download`);
      if (status !== 200) throw new Error(`no configuration: ${status} ${text}`);
      const name = spaces.uniqueName();
      const file = path.join(files, `${name}.conf`);
      await writeFile(file, text, { mode: 0o600 });
      const quick = (verb: string): Promise<string> => where.exec('env', `PATH=${programs}`, 'wg-quick', verb, file);
      await quick('up');
      return { file, interface: name, down: async () => void (await quick('down')) };
    },
    visit,
    served: (service, page = / 200$/, limitMs) =>
      eventually(
        () => visit(service),
        (text) => page.test(text),
        limitMs,
      ),
    visitTcp: async (port, word, how = 'tcp') => (await visitor(how, GATEWAY, String(port), word)).trim(),
    visitSteadily: (service, perSecond, wanted) => {
      const args = [GATEWAY, String(gateway.ports.https), service, String(perSecond), wanted];
      return startSteadyVisits(outside.spawn(process.execPath, VISITOR, 'steady', ...args));
    },
    handshakes: async () =>
      new Map((await shown('latest-handshakes')).map(([key = '', seconds]) => [key, Number(seconds)])),
    async carriedFrom(address) {
      const [owner] = (await shown('allowed-ips')).find((line) => line.includes(`${String(address)}/32`)) ?? [];
      return Number((await shown('transfer')).find(([key]) => key === owner)?.[1]);
    },
    uniqueName: spaces.uniqueName,
    async close() {
      await gateway.close();
      await spaces.close();
      await rm(files, { recursive: true, force: true });
    },
  };
}

/** Visits that go on next to what a test does. */
export type SteadyVisits = {
  /** Waits until so many more are over, well or not. */
  more(count: number): Promise<void>;
  /** Ends them, and tells what came of all. */
  end(): Promise<{ sent: number; failed: number; reasons: Record<string, unknown> }>;
};

/**
 * Follows a visitor's steady visits.
 * @param child `visitor.mjs steady`, which says a dot for each visit that is over
 * @returns once the first of them is: it takes a process a while to begin
 */
export async function startSteadyVisits(child: ChildProcess): Promise<SteadyVisits> {
  if (child.stdout === null) throw new Error('The output of the visits is not piped.');
  const closed = once(child, 'close');
  const lines = createInterface(child.stdout);
  let over = 0;
  let told = '';
  lines.on('line', (line) => {
    if (line === '.') over += 1;
    else told = line;
  });
  const more = async (count: number): Promise<void> => {
    const wanted = over + count;
    while (over < wanted) {
      await Promise.race([
        once(lines, 'line'),
        closed.then(() => {
          throw new Error('The visits have ended by themselves.');
        }),
      ]);
    }
  };
  await more(1);
  return {
    more,
    async end() {
      child.stdin?.end();
      await closed;
      return JSON.parse(told) as Awaited<ReturnType<SteadyVisits['end']>>;
    },
  };
}

/** Joins a namespace as the node `home`, whose page the gateway then serves at `/web`; resolves to the node's number. */
export async function serveHome(scene: TunnelScene, home: Namespace): Promise<number> {
  const { body } = await scene.api('POST /api/nodes', { name: 'home' });
  const id = Number(body['id']);
  await scene.join(home, id);
  await scene.serve(home, String(body['address']), 'home');
  await scene.api(`POST /api/services/${id}/http`, { name: 'Web', pathLocation: '/web', backendPort: PORTS.http });
  await scene.served('/web');
  return id;
}
