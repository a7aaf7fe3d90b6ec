import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  certificateFile,
  expose,
  openReconcileTrial,
  type ReconcileTrial,
  startBackend,
  visit,
  writeByHand,
} from '../testing/reconcileTrial.ts';
import { askTcp, exposeTcp, startTcpBackend } from '../testing/tcpTrial.ts';

// Objects that were damaged by hand behind the gateway's back: all others are served, at run time and after a start.

let trial: ReconcileTrial;
let port: number;
let tcpPort: number;

const HTTP_ROWS: [column: string, value: unknown, problem: RegExp][] = [
  ['path_location', '/a b; return 200 "pwned"', /is not a valid path/],
  ['path_location', 'no slash', /is not a valid path/],
  ['backend_port', 99_999, /is not a valid whole number from 1 to 65535/],
  ['backend_port', 'eighty', /is not a valid whole number from 1 to 65535/],
  ['backend_host', null, /has no backend host/],
  ['backend_host', 'gone.example.test', /gone\.example\.test cannot be resolved\. Check its spelling/],
  ['backend_host', 'not a host; at all', /cannot be resolved|is not a valid/],
  ['allowed_ips', 'not json', /list of allowed or blocked addresses is damaged/],
  ['allowed_ips', '{"0":"127.0.0.1"}', /list of allowed or blocked addresses is damaged/],
  ['blocked_ips', '[7]', /is not a valid IP address or network/],
  ['blocked_ips', '["999.1.1.1"]', /does not accept the value "999\.1\.1\.1"/],
  ['blocked_ips', '["all; return 200 pwned"]', /is not a valid IP address or network/],
  ['expires_at', 'some day', /time to live cannot be read, so it is closed\. Enable it again/],
  // A flag, a choice or a pattern closes its service, and never opens more.
  ['require_auth', 'maybe', /^Its row in the database is damaged \(requireAuth\), so it is closed/],
  ['backend_proto', 'gopher', /damaged \(backendProto\)/],
  ['skip_auth_routes', Buffer.from('^/'), /damaged \(skipAuthRoutes\)/],
  ['builtin', 'x', /damaged \(builtin\)/],
];
const TCP_ROWS: typeof HTTP_ROWS = [
  ['backend_host', '127.0.0.1\n;}', /cannot be resolved/],
  ['backend_host', '127.0.0.1"; return pwned', /cannot be resolved/],
  ['backend_host', null, /has no backend host\. Give the name or the address/],
  ['backend_port', 99_999, /is not a valid whole number from 1 to 65535/],
  ['backend_port', 'eighty', /is not a valid whole number from 1 to 65535/],
  ['port', 70_000, /is not a valid whole number from 1 to 65535/],
  ['port', '80; return pwned', /is not a valid whole number from 1 to 65535/],
  ['allowed_ips', 'not json', /list of allowed or blocked addresses is damaged/],
  ['blocked_ips', '["999.1.1.1"]', /does not accept the value "999\.1\.1\.1"/],
  ['blocked_ips', '["all; return pwned"]', /is not a valid IP address or network/],
  ['domain', 'no name; return pwned', /certificate of its domain cannot be used, so it is closed\. Look at the domain/],
  ['expires_at', 'some day', /time to live cannot be read, so it is closed\. Enable it again/],
];
const NAMED = 'named.example.test';
const PAPER = 'paper.example.test';

const hostOf = (index: number): string => `damaged-${index}.example.test`;
let http: { id: number }[];
let tcp: { id: number; port: number }[];
let tcpBystander: { id: number; port: number };
/** The services of a domain whose name is damaged, and of one whose certificate cannot be made. */
let named: { id: number; domain: number };
let paper: { id: number; domain: number };
/** What became of a change that came after the damage. */
let rejected: string | null;

async function exposeUnder(domain: string): Promise<{ id: number; domain: number }> {
  const { id } = (await expose(trial, domain, port)).value;
  const [row] = await trial.store.domains.all({ domain });
  return { id, domain: row?.id ?? 0 };
}
function rename(to: string): void {
  writeByHand(trial, 'update domains set domain = ? where id = ?', to, named.domain);
  writeByHand(trial, 'update http_services set domain = ? where id = ?', to, named.id);
}

beforeAll(async () => {
  const web = await startBackend((_request, response) => response.end('open'));
  const listener = await startTcpBackend((socket) => {
    void text(socket).then((words) => socket.end(`open:${words}`));
  });
  [port, tcpPort] = [web.port, listener.port];
  trial = await openReconcileTrial({ resolve: (name) => Promise.reject(new Error(`${name} is not known`)) });
  http = await Promise.all(HTTP_ROWS.map(async (_, index) => (await expose(trial, hostOf(index), port)).value));
  tcp = await Promise.all(TCP_ROWS.map(async () => (await exposeTcp(trial, tcpPort)).value));
  await expose(trial, 'bystander.example.test', port);
  tcpBystander = (await exposeTcp(trial, tcpPort)).value;
  [named, paper] = [await exposeUnder(NAMED), await exposeUnder(PAPER)];

  for (const [index, [column, value]] of HTTP_ROWS.entries()) {
    writeByHand(trial, `update http_services set ${column} = ? where id = ?`, value, http[index]?.id);
  }
  for (const [index, [column, value]] of TCP_ROWS.entries()) {
    const ssl = column === 'domain' ? 1 : 0;
    writeByHand(trial, `update tcp_services set ${column} = ?, ssl = ? where id = ?`, value, ssl, tcp[index]?.id);
  }
  rename(`${NAMED}; return 200 "pwned"`);
  // A file in the place of the directory of its certificate.
  const home = dirname(certificateFile(trial, PAPER));
  rmSync(home, { recursive: true });
  writeFileSync(home, '');
  ({ rejected } = await expose(trial, 'newcomer.example.test', port));
});
afterAll(() => trial.close());

const answerOf = (to: number): Promise<string> =>
  askTcp(to, 'x').catch((error: unknown) =>
    error instanceof Error && 'code' in error ? String(error.code) : String(error),
  );

describe.each(['at run time', 'after a start'])('%s', (when) => {
  let startProblem: string | null = null;
  beforeAll(async () => {
    if (when === 'after a start') ({ problem: startProblem } = await trial.restart());
  });

  it.each(HTTP_ROWS.map(([column, value, problem], index) => ({ column, value, problem, index })))(
    '$column of an HTTP service that is $value closes it, and says why',
    async ({ problem, index }) => {
      expect(trial.reconciler.problem('httpService', http[index]?.id ?? 0)).toMatch(problem);
      const { status, body } = await visit(trial, hostOf(index));
      expect([503, 404]).toContain(status);
      expect(body).not.toContain('pwned');
    },
  );

  it.each(TCP_ROWS.map(([column, value, problem], index) => ({ column, value, problem, index })))(
    '$column of a TCP service that is $value closes it, and says why',
    async ({ problem, index }) => {
      expect(trial.reconciler.problem('tcpService', tcp[index]?.id ?? 0)).toMatch(problem);
      expect(await answerOf(tcp[index]?.port ?? 0)).toBe('ECONNREFUSED');
    },
  );

  it('a domain’s name closes the domain, and its services say so', () => {
    expect(trial.reconciler.problem('domain', named.domain)).toMatch(
      /certificate for it could not be made|is not a valid/,
    );
    expect(trial.reconciler.problem('httpService', named.id)).toMatch(
      /^Its domain .* cannot be served; the domain says why\.$/,
    );
  });

  it('everything else is served', async () => {
    expect([startProblem, rejected]).toEqual([null, null]);
    for (const host of ['bystander.example.test', 'newcomer.example.test']) {
      expect((await visit(trial, host)).body).toBe('open');
    }
    expect(trial.reconciler.problem('tcpService', tcpBystander.id)).toBeNull();
    expect(await answerOf(tcpBystander.port)).toBe('open:x');
  });
});

it('a certificate that cannot be made again closes its domain alone', () => {
  // With so many domains nginx does not need its file any more, so that only a start notices.
  expect(trial.reconciler.problem('domain', paper.domain)).toMatch(/certificate for it could not be made; the log/);
  expect(trial.reconciler.problem('httpService', paper.id)).toMatch(/domain says why/);
});

it('each is served again with the generation that finds it repaired', async () => {
  for (const { id } of http) {
    writeByHand(
      trial,
      `update http_services set path_location = '/', backend_port = ?, backend_host = '127.0.0.1', allowed_ips = null,
       blocked_ips = null, expires_at = null, require_auth = 0, backend_proto = 'http', skip_auth_routes = null,
       builtin = 0, version = version + 1 where id = ?`,
      port,
      id,
    );
  }
  for (const { id, port: own } of tcp) {
    writeByHand(
      trial,
      `update tcp_services set backend_host = '127.0.0.1', backend_port = ?, port = ?, allowed_ips = null, ssl = 0,
       blocked_ips = null, domain = null, expires_at = null, version = version + 1 where id = ?`,
      tcpPort,
      own,
      id,
    );
  }
  rename(NAMED);
  const home = dirname(certificateFile(trial, PAPER));
  rmSync(home);
  mkdirSync(home);
  await expose(trial, 'healer.example.test', port);
  for (const { id } of [...http, named, paper]) expect(trial.reconciler.problem('httpService', id)).toBeNull();
  for (const { id } of tcp) expect(trial.reconciler.problem('tcpService', id)).toBeNull();
  for (const host of [...http.map((_, index) => hostOf(index)), NAMED, PAPER]) {
    expect((await visit(trial, host)).body).toBe('open');
  }
  for (const { port: own } of tcp) expect(await answerOf(own)).toBe('open:x');
});
