import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openReconcileTrial, type ReconcileTrial, save, writeByHand } from '../testing/reconcileTrial.ts';
import { askTcp, exposeTcp, startTcpBackend } from '../testing/tcpTrial.ts';

// Rows of TCP services, damaged by hand behind the gateway's back: all others are served, at run time and after a start.

let trial: ReconcileTrial;
let backendPort: number;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ port: backendPort, stop } = await startTcpBackend((socket) => {
    void text(socket).then((words) => socket.end(`open:${words}`));
  }));
  trial = await openReconcileTrial();
});
afterAll(async () => {
  await trial.close();
  await stop();
});

const columns: [column: string, value: unknown, problem: RegExp][] = [
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
type Exposed = { id: number; port: number };

const answerOf = (port: number): Promise<string> =>
  askTcp(port, 'x').catch((error: unknown) =>
    error instanceof Error && 'code' in error ? String(error.code) : String(error),
  );

async function expectAll(damaged: readonly Exposed[], others: readonly Exposed[]): Promise<void> {
  const found = columns.map(([column, value], index) => {
    const reason = trial.reconciler.problem('tcpService', damaged[index]?.id ?? 0);
    return `${column} ${JSON.stringify(value)}: ${reason}`;
  });
  expect(found).toEqual(columns.map(([, , problem]) => expect.stringMatching(problem)));
  for (const { port } of damaged) expect(await answerOf(port)).toBe('ECONNREFUSED');
  for (const { id, port } of others) {
    expect(trial.reconciler.problem('tcpService', id)).toBeNull();
    expect(await answerOf(port)).toBe('open:x');
  }
}

it('of a TCP service’s row closes that one alone, says why, and heals with the row', async () => {
  const damaged: Exposed[] = [];
  for (const _ of columns) damaged.push((await exposeTcp(trial, backendPort, { ssl: false })).value);
  const { value: bystander } = await exposeTcp(trial, backendPort);
  for (const { port } of damaged) expect(await answerOf(port)).toBe('open:x');
  for (const [index, [column, value]] of columns.entries()) {
    const ssl = column === 'domain' ? 1 : 0;
    writeByHand(trial, `update tcp_services set ${column} = ?, ssl = ? where id = ?`, value, ssl, damaged[index]?.id);
  }
  const { value: newcomer, rejected } = await exposeTcp(trial, backendPort);
  expect(rejected).toBeNull();
  await expectAll(damaged, [bystander, newcomer]);
  expect(await trial.restart()).toEqual({ problem: null });
  await expectAll(damaged, [bystander, newcomer]);

  for (const { id, port } of damaged) {
    writeByHand(
      trial,
      `update tcp_services set backend_host = '127.0.0.1', backend_port = ?, port = ?, allowed_ips = null, ssl = 0,
       blocked_ips = null, domain = null, expires_at = null, version = version + 1 where id = ?`,
      backendPort,
      port,
      id,
    );
  }
  await save(trial, (tx) => tx.tcpServices.update(newcomer.id, { name: 'healer' }));
  for (const { id, port } of damaged) {
    expect(trial.reconciler.problem('tcpService', id)).toBeNull();
    expect(await answerOf(port)).toBe('open:x');
  }
});
