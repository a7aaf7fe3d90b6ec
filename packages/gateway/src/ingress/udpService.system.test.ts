import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openReconcileTrial, type ReconcileTrial, save } from '../testing/reconcileTrial.ts';
import { exposeTcp, loggedLines, openUdpClient, startUdpBackend } from '../testing/tcpTrial.ts';

let trial: ReconcileTrial;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  trial = await openReconcileTrial({ listen: ['127.0.0.1', '[::1]'], resolve: () => Promise.resolve(TWO) });
});
afterAll(async () => {
  await trial.close();
  await Promise.all(stops.map((stop) => stop()));
});

/** Where every name leads. */
const TWO = ['127.0.0.1', '127.0.0.2'];

const backend = async (place?: Parameters<typeof startUdpBackend>[0]) => {
  const started = await startUdpBackend(place);
  stops.push(started.stop);
  return started;
};
const client = (port: number, host?: string) => {
  const opened = openUdpClient(port, host);
  stops.push(opened.close);
  return opened;
};
const exposeUdp = (to: ReconcileTrial, port: number, rest: Parameters<typeof exposeTcp>[2] = {}) =>
  exposeTcp(to, port, { proto: 'udp', ...rest });

const PACKETS = 300;
/** So many at a time as any socket's memory holds. */
const BURST = 20;
const CHANGES = 10;
const CLIENTS = 6;
/** Who has no answer by then asks again. */
const ANSWER_LIMIT_MS = 3000;
/** How long nothing must come before nothing counts as coming. */
const SILENCE_MS = 300;
const silence = (): Promise<string[]> => new Promise((done) => void setTimeout(done, SILENCE_MS, []));
/** Whether the backend answers. Where nobody listens, nginx sends its client an empty packet. */
const answered = async (port: number, host?: string): Promise<boolean> =>
  ((await Promise.race([client(port, host).ask(1), silence()]))[0] ?? '') !== '';

describe('an exposed UDP port', () => {
  it('keeps the packets of each client on a session of their own', async () => {
    const { port, sessions } = await backend();
    const { value, rejected } = await exposeUdp(trial, port);
    expect(rejected).toBeNull();
    const [first, second] = [client(value.port), client(value.port)];
    const flowsOf = async (asking: typeof first): Promise<string[]> => {
      const seen = new Set<string>();
      for (let sent = 0; sent < PACKETS; sent += BURST)
        for (const session of await asking.ask(BURST)) seen.add(session);
      return [...seen];
    };
    const [ofFirst, ofSecond] = await Promise.all([flowsOf(first), flowsOf(second)]);
    expect([ofFirst.length, ofSecond.length]).toEqual([1, 1]);
    expect(ofFirst).not.toEqual(ofSecond);
    expect([...sessions.values()]).toEqual([PACKETS, PACKETS]);
  });

  it('has lists for both families, and a block wins', async () => {
    const { port } = await backend();
    const lists = { allowedIps: ['127.0.0.0/8', '::1'], blockedIps: ['127.0.0.1'] };
    const { value } = await exposeUdp(trial, port, lists);
    expect([await answered(value.port), await answered(value.port, '::1')]).toEqual([false, true]);
    await save(trial, (tx) => tx.tcpServices.update(value.id, { blockedIps: ['::/0'] }));
    expect([await answered(value.port), await answered(value.port, '::1')]).toEqual([true, false]);
    expect(await loggedLines(trial, value.id, 1)).toEqual(
      expect.arrayContaining([expect.objectContaining({ k: 'tcp', r: `UDP ${value.port}`, st: '403' })]),
    );
  });

  it('is closed when it is disabled, and open again when it is enabled', async () => {
    const { port } = await backend();
    const { value } = await exposeUdp(trial, port);
    expect(await answered(value.port)).toBe(true);
    await save(trial, (tx) => tx.tcpServices.update(value.id, { enabled: false }));
    expect(await answered(value.port)).toBe(false);
    await save(trial, (tx) => tx.tcpServices.update(value.id, { enabled: true }));
    expect(await answered(value.port)).toBe(true);
  });

  it('brings what the backend sends unasked, until it is closed', async () => {
    const { port, push } = await backend();
    const { value } = await exposeUdp(trial, port);
    const asking = client(value.port);
    await asking.ask(1);
    const unasked = asking.next();
    push();
    expect(await unasked).toBe('unasked');
    await save(trial, (tx) => tx.tcpServices.update(value.id, { enabled: false }));
    const late = asking.next();
    push();
    expect(await Promise.race([late, silence()])).toEqual([]);
  });

  it('loses an answer under way at most when another service changes, and begins a new session', async () => {
    const { port, sessions } = await backend();
    const { value } = await exposeUdp(trial, port);
    const { value: other } = await exposeTcp(trial, port);
    const asking = client(value.port);
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
      await vi.waitFor(() => expect(answers).toBeGreaterThanOrEqual(enough), 5 * ANSWER_LIMIT_MS);
    }
    changing = false;
    // An old worker has closed the socket on which it would pass the answer on, as at any reload of nginx.
    expect(await lost).toBeLessThanOrEqual(CHANGES);
    expect(await answered(value.port)).toBe(true);
    expect(sessions.size).toBeGreaterThanOrEqual(CHANGES);
  });

  it('keeps all packets on the first server of a name that has two, whatever changes', async () => {
    const first = await backend();
    const second = await backend({ address: '127.0.0.2', port: first.port });
    const { value } = await exposeUdp(trial, first.port, { backendHost: 'two.test' });
    const { value: unrelated } = await exposeTcp(trial, first.port);
    const clients = Array.from({ length: CLIENTS }, () => client(value.port));
    for (let round = 0; round < CHANGES; round += 1) {
      // In another order each time: a server must not be chosen by whose turn it is.
      for (const asking of round % 2 === 0 ? clients : clients.toReversed()) await asking.ask(1);
      await save(trial, (tx) => tx.tcpServices.update(unrelated.id, { blockedIps: [`192.0.2.${round}`] }));
    }
    expect([first.sessions.size > 0, second.sessions.size]).toEqual([true, 0]);
  });

  it('becomes a TCP port, and closes as one of UDP', async () => {
    const { port } = await backend();
    const { value } = await exposeUdp(trial, port);
    const { rejected } = await save(trial, (tx) => tx.tcpServices.update(value.id, { proto: 'tcp' }));
    expect(rejected).toBeNull();
    expect(await answered(value.port)).toBe(false);
  });

  it('that another process has is refused, and heals when it was there before', async () => {
    const { port } = await backend();
    const other = await startUdpBackend();
    const { rejected } = await exposeUdp(trial, port, { port: other.port });
    expect(rejected).toContain(`Port ${other.port} is in use by another process.`);
    const { value } = await exposeUdp(trial, port, { port: other.port, enabled: false });
    await trial.reconciler.stop();
    await trial.store.write((tx) => tx.tcpServices.update(value.id, { enabled: true }));
    expect(await trial.restart()).toEqual({ problem: null });
    expect(trial.reconciler.problem('tcpService', value.id)).toContain('in use by another process');
    await other.stop();
    await vi.waitFor(() => expect(trial.reconciler.problem('tcpService', value.id)).toBeNull(), 20_000);
    expect(await answered(value.port)).toBe(true);
  });
});
