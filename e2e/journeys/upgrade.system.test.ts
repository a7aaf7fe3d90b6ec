import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  freeGatewayPorts,
  type GatewayPorts,
  type GatewayProcess,
  signedIn,
  startGateway,
} from '../support/gateway.ts';
import { mountTmpfs, type Tmpfs } from '../support/tmpfs.ts';
import { visit } from '../support/visit.ts';

const RELEASES = path.resolve(import.meta.dirname, '../releases');
const versions = readdirSync(RELEASES).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? []);
/** Its own path is how nginx starts the one that takes over. */
const NGINX = execFileSync('/bin/sh', ['-c', 'command -v nginx'], { encoding: 'utf8' }).trim();
const HOST = 'app.example.test';
const KILLED = path.resolve(import.meta.dirname, '../support/killedAt.mjs');
const DISK_MEGABYTES = 64;
/** Services that make the database one of several megabytes. */
const MANY = 5000;
const UPGRADE_MAX_MS = 180_000;
const ANSWER_MAX_MS = 20_000;
const VISIT_EVERY_MS = 20;
/** Of visits before the new gateway starts, and after it serves, when the old nginx goes. */
const AROUND_MS = 3000;

type Release = {
  directory: string;
  ports: Omit<GatewayPorts, 'tcp'>;
  backend: number;
  nodes: string[];
  node: { id: number; name: string; address: string; token: string; configuration: string };
  otherToken: string;
};

/** Visits on a connection each, until it is ended; fulfilled with all that were not served. */
function steadyVisits(port: number): { end(): Promise<{ count: number; failed: unknown[] }> } {
  const visits: ReturnType<typeof visit>[] = [];
  const timer = setInterval(() => void visits.push(visit(port, `https://${HOST}/page`)), VISIT_EVERY_MS);
  return {
    async end() {
      clearInterval(timer);
      const visited = await Promise.all(visits);
      return { count: visited.length, failed: visited.filter(({ body }) => body !== 'page') };
    },
  };
}

/** The certificate that is served under the name. */
function certificate(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: '127.0.0.1', port, servername: HOST, rejectUnauthorized: false });
  socket.once('error', reject);
  socket.once('secureConnect', () => {
    resolve(socket.getPeerCertificate().fingerprint256);
    socket.destroy();
  });
  return promise;
}

describe.each(versions)('a data directory of %s', (version) => {
  const release = JSON.parse(readFileSync(path.join(RELEASES, `${version}.json`), 'utf8')) as Release;
  /** Where the data directory is; null: where only root may mount one, it is elsewhere. */
  let disk: Tmpfs | null;
  let data: string;
  let ports: GatewayPorts;
  let backend: Server;
  let gateway: GatewayProcess | null;
  const nginx = (...words: string[]) => {
    const ingress = path.join(data, 'ingress');
    // As that version started it: its command line tells whose nginx it is.
    const own = ['-e', path.join(ingress, 'logs/error.log'), '-p', ingress];
    return promisify(execFile)(NGINX, [...own, '-c', path.join(ingress, 'current/nginx.conf'), ...words]);
  };

  beforeEach(async () => {
    disk = await mountTmpfs(DISK_MEGABYTES);
    const base = disk?.directory ?? mkdtempSync(path.join(tmpdir(), 'sallyport-upgrade-'));
    data = path.join(base, 'data');
    mkdirSync(data);
    chmodSync(base, 0o711);
    execFileSync('tar', ['-xzf', path.join(RELEASES, `${version}.tar.gz`), '-C', data]);
    chmodSync(data, 0o711);
    gateway = null;
    ports = await freeGatewayPorts();
    backend = createServer((_, answer) => answer.end('page')).listen(0, '127.0.0.1');
    await once(backend, 'listening');
    const { port } = backend.address() as AddressInfo;
    moveTo(port);
  });
  afterEach(async () => {
    await gateway?.close();
    await nginx('-s', 'stop').catch(() => undefined);
    backend.close();
    if (disk === null) rmSync(path.dirname(data), { recursive: true, force: true });
    else await disk.unmount();
  });

  /** Its ports and its path become those of this test, in what nginx serves and in the database. */
  function moveTo(backendPort: number): void {
    const { api, console: consolePort, http, https } = ports;
    const numbers = new Map([
      [release.ports.api, api],
      [release.ports.console, consolePort],
      [release.ports.http, http],
      [release.ports.https, https],
      [release.backend, backendPort],
    ]);
    for (const file of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(?:conf|json)$/.test(file)) continue;
      const text = readFileSync(path.join(data, file), 'utf8').replaceAll(release.directory, data);
      const moved = text.replaceAll(/\b\d{5}\b/g, (number) => String(numbers.get(Number(number)) ?? number));
      writeFileSync(path.join(data, file), moved);
    }
    const database = new DatabaseSync(path.join(data, 'sallyport.db'));
    database
      .prepare('UPDATE http_services SET backend_port = ? WHERE backend_port = ?')
      .run(backendPort, release.backend);
    database.prepare('UPDATE tcp_services SET port = ?').run(ports.tcp.from);
    database.close();
  }

  /** Fills the database as years do: with many services, which are closed. */
  function fill(): void {
    const database = new DatabaseSync(path.join(data, 'sallyport.db'));
    const columns = database.prepare(`SELECT name FROM pragma_table_info('http_services')`).all();
    const names = columns.flatMap(({ name }) => (name === 'id' ? [] : [String(name)]));
    const values = names.map((name) => ({ path_location: `'/' || n`, name: `name || n`, enabled: '0' })[name] ?? name);
    const all = `WITH RECURSIVE all_n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM all_n WHERE n < ${MANY})`;
    database.exec(
      `${all} INSERT INTO http_services (${names.join()}) SELECT ${values.join()} FROM http_services, all_n WHERE id = 2`,
    );
    database.close();
  }

  /** What a database holds that no program has open, read from a copy. */
  function stored(): { version: number; services: number; nodes: number; tokens: number } {
    const copy = mkdtempSync(path.join(tmpdir(), 'sallyport-copy-'));
    for (const name of ['sallyport.db', 'sallyport.db-wal']) {
      if (existsSync(path.join(data, name))) copyFileSync(path.join(data, name), path.join(copy, name));
    }
    const database = new DatabaseSync(path.join(copy, 'sallyport.db'));
    const number = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
    const count = (table: string) => number(`SELECT count(*) FROM ${table}`);
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    const found = { services: count('http_services'), nodes: count('nodes'), tokens: count('node_tokens') };
    const schema = number('PRAGMA user_version');
    database.close();
    rmSync(copy, { recursive: true });
    return { ...found, version: schema };
  }
  const page = () => visit(ports.https, `https://${HOST}/page`);

  it(
    'is whole when the upgrade is killed, whenever; the next start finishes it',
    { timeout: UPGRADE_MAX_MS },
    async () => {
      fill();
      await nginx();
      const before = stored();
      const moments = [
        ['exec:1', 'old'],
        ['exec:7', 'old'],
        ['pragma:application_id =', 'old'],
        ['migrated:1', 'new'],
        ['rename:/ingress/current', 'new'],
      ] as const;
      for (const [moment, kind] of moments) {
        const killed = startGateway({ data, ports, nodeArguments: ['--import', KILLED], env: { KILL_AT: moment } });
        await expect(killed, moment).rejects.toThrow(/ended with SIGKILL/);
        const after = stored();
        expect([moment, after]).toEqual([moment, { ...before, version: after.version }]);
        expect([moment, after.version > before.version]).toEqual([moment, kind === 'new']);
        expect([moment, (await page()).body]).toEqual([moment, 'page']);
      }
      gateway = await startGateway({ data, ports });
      expect((await page()).body).toBe('page');
      const { client } = await signedIn(gateway);
      expect((await client.node.list({ query: {} })).data.map(({ name }) => name).toSorted()).toEqual(
        release.nodes.toSorted(),
      );
    },
  );

  it(
    'stays as it is where its database is cut, which a sentence says; nginx goes on',
    { timeout: UPGRADE_MAX_MS },
    async () => {
      await nginx();
      const file = path.join(data, 'sallyport.db');
      const whole = readFileSync(file);
      const cut = whole.subarray(0, Math.floor(whole.length / 2));
      writeFileSync(file, cut);
      await expect(startGateway({ data, ports })).rejects.toThrow(/with 1:\nThe database .*sallyport\.db is damaged\./);
      expect(readFileSync(file).equals(cut)).toBe(true);
      expect((await page()).body).toBe('page');
      writeFileSync(file, whole);
      gateway = await startGateway({ data, ports });
      expect((await page()).body).toBe('page');
    },
  );

  it(
    'stays as it is while its disk is full, which a sentence says; with room, the next start upgrades it',
    { timeout: UPGRADE_MAX_MS },
    async ({ skip }) => {
      if (disk === null) skip('only root can mount a disk to be filled, and not in every container');
      fill();
      await nginx();
      const before = stored();
      const full = disk as Tmpfs;
      // No room at all, and room to begin.
      for (const left of [0, 20_000]) {
        await full.fill(left);
        await expect(startGateway({ data, ports }), String(left)).rejects.toThrow(
          /with 1:\nThe database .*sallyport\.db cannot be written .* the space on its disk\.\n$/,
        );
        await full.empty();
        expect([left, stored()]).toEqual([left, before]);
        expect([left, (await page()).body]).toEqual([left, 'page']);
      }
      gateway = await startGateway({ data, ports });
      expect((await page()).body).toBe('page');
      await gateway.end('SIGTERM');
      expect(stored()).toMatchObject({ services: before.services, nodes: before.nodes, tokens: before.tokens });
      await gateway.start();
    },
  );

  it(
    'is taken over while visitors come, who notice nothing; nodes keep all that is theirs',
    { timeout: UPGRADE_MAX_MS },
    async () => {
      await nginx();
      expect(await visit(ports.https, `https://${HOST}/page`)).toMatchObject({ status: 200, body: 'page' });
      const before = await certificate(ports.https);
      const visits = steadyVisits(ports.https);
      await delay(AROUND_MS);
      gateway = await startGateway({ data, ports });
      await delay(AROUND_MS);
      const { count, failed } = await visits.end();
      expect(failed).toEqual([]);
      expect(count).toBeGreaterThan((2 * AROUND_MS) / VISIT_EVERY_MS / 3);
      expect(await certificate(ports.https)).toBe(before);

      const { token } = await signedIn(gateway);
      const ask = async (target: string, bearer: string): Promise<Response> =>
        fetch(`${gateway?.apiUrl}/api${target}`, {
          headers: { authorization: `Bearer ${bearer}` },
          signal: AbortSignal.timeout(ANSWER_MAX_MS),
        });
      const nodes = (await (await ask('/nodes', token)).json()) as { name: string }[];
      expect(nodes.map(({ name }) => name).toSorted()).toEqual(release.nodes.toSorted());
      const { node } = release;
      expect(nodes).toContainEqual(expect.objectContaining({ name: node.name, address: node.address }));
      // Its keys, its address and the gateway's own key are in it.
      const configuration = await (await ask(`/nodes/${node.id}/download`, token)).text();
      const facts = (text: string) => text.match(/^(?:\w*Key|Address|Endpoint) = .*$/gm);
      expect(facts(configuration)).toEqual(facts(node.configuration));
      for (const each of [node.token, release.otherToken]) expect((await ask('/cli/node', each)).status).toBe(200);
      // What was logged by then is there.
      const stream = await ask(`/logs/stream?domain=${HOST}&lines=1000`, token);
      let log = '';
      for await (const part of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        log += part;
        if (log.includes('/page?x=1')) break;
      }
    },
  );
});
