import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  certificateFile,
  expose,
  openReconcileTrial,
  type ReconcileTrial,
  startBackend,
  visit,
  writeByHand,
} from '../testing/reconcileTrial.ts';

// One bad object of each kind, made by hand behind the gateway's back: all others are served, at run time and after a start.

let trial: ReconcileTrial;
let port: number;
let stop: () => Promise<void>;
/** Whether the name of a backend leads somewhere. */
let known = false;

beforeAll(async () => {
  ({ port, stop } = await startBackend((_request, response) => response.end('open')));
  trial = await openReconcileTrial({
    resolve: (name) => (known ? Promise.resolve(['127.0.0.1']) : Promise.reject(new Error(`${name} is not known`))),
  });
});
afterAll(async () => {
  await trial.close();
  await stop();
});

const columns: [column: string, value: unknown, problem: RegExp][] = [
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
];
const hostOf = (index: number): string => `damaged-${index}.example.test`;
const ids: number[] = [];

async function expectAll(): Promise<void> {
  for (const [index, [column, value, problem]] of columns.entries()) {
    const reason = trial.reconciler.problem('httpService', ids[index] ?? 0);
    expect(`${column} ${JSON.stringify(value)}: ${reason}`).toMatch(problem);
    const { status, body } = await visit(trial, hostOf(index));
    expect([503, 404]).toContain(status);
    expect(body).not.toContain('pwned');
  }
  for (const host of ['bystander.example.test', 'newcomer.example.test']) {
    expect((await visit(trial, host)).body).toBe('open');
  }
}

it('of a service’s row closes that one alone, says why, and heals with the row', async () => {
  for (const [index] of columns.entries()) ids.push((await expose(trial, hostOf(index), port)).value.id);
  await expose(trial, 'bystander.example.test', port);
  for (const [index, [column, value]] of columns.entries()) {
    writeByHand(trial, `update http_services set ${column} = ? where id = ?`, value, ids[index]);
  }
  expect((await expose(trial, 'newcomer.example.test', port)).rejected).toBeNull();
  await expectAll();
  expect(await trial.restart()).toEqual({ problem: null });
  await expectAll();

  // Each is served again with the generation that finds it repaired.
  for (const id of ids) {
    writeByHand(
      trial,
      `update http_services set path_location = '/', backend_port = ?, backend_host = '127.0.0.1', allowed_ips = null,
       blocked_ips = null, expires_at = null, version = version + 1 where id = ?`,
      port,
      id,
    );
  }
  await expose(trial, 'healer.example.test', port);
  for (const [index, id] of ids.entries()) {
    expect(trial.reconciler.problem('httpService', id)).toBeNull();
    expect((await visit(trial, hostOf(index))).body).toBe('open');
  }
});

it('of a flag, a choice or a pattern closes that service, and never opens more', async () => {
  const cases: [column: string, value: unknown, problem: RegExp][] = [
    ['require_auth', 'maybe', /^Its row in the database is damaged \(requireAuth\), so it is closed/],
    ['backend_proto', 'gopher', /damaged \(backendProto\)/],
    ['skip_auth_routes', Buffer.from('^/'), /damaged \(skipAuthRoutes\)/],
    ['builtin', 'x', /damaged \(builtin\)/],
  ];
  const damaged: number[] = [];
  for (const [index] of cases.entries())
    damaged.push((await expose(trial, `flag-${index}.example.test`, port)).value.id);
  for (const [index, [column, value]] of cases.entries()) {
    writeByHand(trial, `update http_services set ${column} = ? where id = ?`, value, damaged[index]);
  }
  await expose(trial, 'sixth.example.test', port);
  for (const next of [() => trial.restart(), () => null]) {
    for (const [index, [, , problem]] of cases.entries()) {
      expect(trial.reconciler.problem('httpService', damaged[index] ?? 0)).toMatch(problem);
      expect((await visit(trial, `flag-${index}.example.test`)).status).toBe(503);
    }
    expect((await visit(trial, 'bystander.example.test')).body).toBe('open');
    await next();
  }
});

it('of a domain’s name closes that one alone, and its services say so', async () => {
  const { value } = await expose(trial, 'named.example.test', port);
  const [domain] = await trial.store.domains.all({ domain: 'named.example.test' });
  const name = 'named.example.test; return 200 "pwned"';
  writeByHand(trial, 'update domains set domain = ? where id = ?', name, domain?.id);
  writeByHand(trial, 'update http_services set domain = ? where id = ?', name, value.id);
  await expose(trial, 'second.example.test', port);
  for (const next of [() => trial.restart(), () => null]) {
    expect(trial.reconciler.problem('domain', domain?.id ?? 0)).toMatch(
      /certificate for it could not be made|is not a valid/,
    );
    expect(trial.reconciler.problem('httpService', value.id)).toMatch(
      /^Its domain .* cannot be served; the domain says why\.$/,
    );
    expect((await visit(trial, 'bystander.example.test')).body).toBe('open');
    await next();
  }
  writeByHand(trial, 'update domains set domain = ? where id = ?', 'named.example.test', domain?.id);
  writeByHand(trial, 'update http_services set domain = ? where id = ?', 'named.example.test', value.id);
  await expose(trial, 'third.example.test', port);
  expect((await visit(trial, 'named.example.test')).body).toBe('open');
});

it('of a domain’s certificate that cannot be made again closes that one alone, until it can', async () => {
  const host = 'paper.example.test';
  const { value } = await expose(trial, host, port);
  const [domain] = await trial.store.domains.all({ domain: host });
  const home = dirname(certificateFile(trial, host));
  // A file in the place of its directory.
  rmSync(home, { recursive: true });
  writeFileSync(home, '');
  expect((await expose(trial, 'fourth.example.test', port)).rejected).toBeNull();
  // With many domains nginx does not need the file any more, so that only who starts notices.
  await trial.restart();
  for (const next of [() => trial.restart(), () => null]) {
    expect(trial.reconciler.problem('domain', domain?.id ?? 0)).toMatch(
      /certificate for it could not be made; the log/,
    );
    expect(trial.reconciler.problem('httpService', value.id)).toMatch(/domain says why/);
    expect((await visit(trial, 'bystander.example.test')).body).toBe('open');
    await next();
  }
  rmSync(home);
  mkdirSync(home);
  await expose(trial, 'fifth.example.test', port);
  expect((await visit(trial, host)).body).toBe('open');
  expect(trial.reconciler.problem('domain', domain?.id ?? 0)).toBeNull();
  expect(trial.reconciler.problem('httpService', value.id)).toBeNull();
});

it('of a name that leads nowhere closes that service alone, and opens it when the name is known', async () => {
  const { value } = await expose(trial, 'name.example.test', port, { backendHost: 'backend.example.test' });
  expect(trial.reconciler.problem('httpService', value.id)).toMatch(
    /backend\.example\.test cannot be resolved\. Check/,
  );
  expect((await visit(trial, 'name.example.test')).status).toBe(503);
  expect((await visit(trial, 'bystander.example.test')).body).toBe('open');
  known = true;
  await trial.restart();
  expect(trial.reconciler.problem('httpService', value.id)).toBeNull();
  expect((await visit(trial, 'name.example.test')).body).toBe('open');
});
