import { setImmediate as settled } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createFakeBackends } from '../testing/fakeBackends.ts';
import { createTestClock } from '../testing/testClock.ts';
import { type BackendHealth, type BackendTarget, createBackendHealth } from './backendHealth.ts';

const REFUSED = 'Nothing listens on 127.0.0.1:8080. Start the service, or correct the port.';
const A = '127.0.0.1:8080';

const target = (id: number, rest: Partial<BackendTarget> = {}): BackendTarget => ({
  kind: 'httpService',
  id,
  version: 1,
  proto: 'http',
  addresses: ['127.0.0.1'],
  sourceAddress: null,
  port: 8080,
  serverName: null,
  unreachable: null,
  ...rest,
});

let open: BackendHealth | null = null;
afterEach(() => open?.stop());

const MIDDLE = 0.5;
const EARLIEST = 0;
const LATEST = 1 - Number.EPSILON;

/** With chance always at one point of its range, so that a count is the same each time; its ends have tests of their own. */
function openHealth(chance = MIDDLE) {
  const backends = createFakeBackends();
  const clock = createTestClock(new Date('2026-11-21T12:00:00.000Z'));
  const health = createBackendHealth({ probe: backends.probe, clock, random: () => chance });
  open = health;
  const changed = vi.fn<() => void>();
  health.onChange(changed);
  /** Lets time go by in small steps, so that what a question started can answer it. */
  const pass = async (ms: number): Promise<void> => {
    const STEP_MS = 250;
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await settled();
      clock.advance(Math.min(STEP_MS, ms - passed));
    }
    await settled();
  };
  const nextQuestion = async (): Promise<void> => {
    const before = backends.asked.length;
    for (let step = 0; step < 200 && backends.asked.length === before; step += 1) await pass(250);
  };
  return { nextQuestion, backends, clock, health, changed, pass, of: (id: number) => health.get('httpService', id) };
}

describe('the health of a backend', () => {
  it('is known at once after a service was added, with the reason', async () => {
    const { backends, health, of } = openHealth();
    backends.set(A, REFUSED);
    health.watch([target(1), target(2, { port: 8081 })]);
    expect(of(1)).toEqual({ health: 'unknown', healthReason: null });
    await Promise.all([health.probed('httpService', 1), health.probed('httpService', 2)]);
    expect(of(1)).toEqual({ health: 'down', healthReason: REFUSED });
    expect(of(2)).toEqual({ health: 'up', healthReason: null });
  });

  it.each([
    { chance: EARLIEST, times: 25 },
    { chance: MIDDLE, times: 20 },
    { chance: LATEST, times: 16 },
  ])('is asked every 30 seconds, give or take a fifth: $times times in 10 minutes', async ({ chance, times }) => {
    const { backends, health, pass } = openHealth(chance);
    health.watch([target(1)]);
    await pass(30_000);
    const before = backends.asked.length;
    await pass(600_000);
    expect(backends.asked).toHaveLength(before + times);
  });

  it.each([EARLIEST, MIDDLE, LATEST])(
    'goes down only when a second question fails too, and up with the first answer (%d)',
    async (chance) => {
      const { backends, health, pass, nextQuestion, of } = openHealth(chance);
      health.watch([target(1)]);
      await pass(1000);
      backends.set(A, REFUSED);
      await nextQuestion();
      expect(of(1).health).toBe('up');
      await pass(2000);
      expect(of(1)).toEqual({ health: 'down', healthReason: REFUSED });
      backends.set(A, null);
      await pass(6500);
      expect(of(1)).toEqual({ health: 'up', healthReason: null });
    },
  );

  it('tells the reason of today when it is down for another one than before', async () => {
    const { backends, health, pass, of } = openHealth();
    backends.set(A, REFUSED);
    health.watch([target(1)]);
    await pass(1000);
    backends.set(A, 'It does not speak TLS.');
    await pass(10_000);
    expect(of(1)).toEqual({ health: 'down', healthReason: 'It does not speak TLS.' });
  });

  it('stays up when a single question goes unanswered', async () => {
    const { backends, health, changed, pass, nextQuestion, of } = openHealth();
    health.watch([target(1)]);
    await pass(1000);
    changed.mockClear();
    backends.set(A, REFUSED);
    await nextQuestion();
    backends.set(A, null);
    await pass(10_000);
    expect(of(1).health).toBe('up');
    expect(changed).not.toHaveBeenCalled();
  });

  it('is asked soon after it went down, and less and less often then', async () => {
    const { backends, health, pass } = openHealth();
    backends.set(A, REFUSED);
    health.watch([target(1)]);
    await pass(36_000);
    // After 5 s, 10 s and 20 s.
    expect(backends.asked.length).toBeGreaterThanOrEqual(3);
    expect(backends.asked.length).toBeLessThanOrEqual(5);
    const before = backends.asked.length;
    await pass(120_000);
    expect(backends.asked.length - before).toBeLessThanOrEqual(6);
  });

  it('is asked soon again after a save, however often it has failed', async () => {
    const { backends, health, pass, of } = openHealth();
    backends.set(A, REFUSED);
    for (const version of [1, 2, 3, 4]) {
      health.watch([target(1, { version })]);
      await pass(0);
    }
    backends.set(A, null);
    await pass(6500);
    expect(of(1).health).toBe('up');
  });

  it('stays what it was when the machine could not ask', async () => {
    const fail = vi.fn<() => Promise<null>>().mockResolvedValueOnce(null).mockRejectedValue(new Error('EMFILE'));
    const clock = createTestClock(new Date());
    open = createBackendHealth({ probe: fail, clock, random: () => LATEST });
    open.watch([target(1)]);
    await settled();
    // At most an interval until it is asked again, and an interval with its jitter until the next time.
    for (let second = 0; second < 70; second += 1) {
      clock.advance(1000);
      await settled();
    }
    expect(fail.mock.calls.length).toBeGreaterThan(2);
    expect(open.get('httpService', 1).health).toBe('up');
  });
});

describe('what is asked', () => {
  it('is one question for all services of one backend', async () => {
    const { backends, health, pass, of } = openHealth();
    backends.set(A, REFUSED);
    health.watch([target(1), target(2), target(3, { kind: 'tcpService', proto: 'tcp' })]);
    await pass(0);
    expect(backends.asked).toEqual([`http ${A}`]);
    expect([of(1).health, of(2).health, health.get('tcpService', 3).health]).toEqual(['down', 'down', 'down']);
  });

  it('is another one over TLS, and for another name', async () => {
    const { backends, health, pass } = openHealth();
    const https = { proto: 'https', serverName: 'a.test' } as const;
    health.watch([target(1), target(2, https), target(3, https), target(4, { ...https, serverName: 'b.test' })]);
    await pass(0);
    expect(backends.asked).toEqual([`http ${A}`, `https ${A}`, `https ${A}`]);
  });

  it('is nothing of UDP services, of services without an address, and of those that cannot be reached', async () => {
    const { backends, health, pass, of } = openHealth();
    const unreachable = 'The tunnel is off, so the nodes behind it cannot be reached.';
    health.watch([target(1, { proto: 'udp' }), target(2, { addresses: [] }), target(3, { unreachable })]);
    await Promise.all([1, 2, 3].map((id) => health.probed('httpService', id)));
    await pass(60_000);
    expect(backends.asked).toEqual([]);
    expect([of(1), of(2)]).toMatchObject([{ health: 'unknown' }, { health: 'unknown' }]);
    expect(of(3)).toEqual({ health: 'down', healthReason: unreachable });
  });

  it('is asked again at once when the service was saved, or its name leads elsewhere', async () => {
    const { backends, health, pass, of } = openHealth();
    health.watch([target(1)]);
    await pass(250);
    backends.set(A, REFUSED);
    health.watch([target(1)]);
    await pass(250);
    expect(backends.asked).toHaveLength(1);
    health.watch([target(1, { version: 2 })]);
    await pass(0);
    expect(backends.asked).toHaveLength(2);
    backends.set('127.0.0.2:8080', REFUSED);
    health.watch([target(1, { version: 2, addresses: ['127.0.0.2'] })]);
    await health.probed('httpService', 1);
    expect(of(1).health).toBe('down');
  });

  it('is nothing more once the service is gone', async () => {
    const { backends, health, pass, of } = openHealth();
    health.watch([target(1)]);
    await pass(250);
    health.watch([]);
    await pass(120_000);
    expect(backends.asked).toHaveLength(1);
    expect(of(1).health).toBe('unknown');
  });

  it.each([1, 8])(
    'is no more on request while half of the questions are open, with %i addresses each',
    async (count) => {
      const { backends, health, pass } = openHealth();
      const addresses = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 1}`);
      const many = Array.from({ length: 120 }, (_, index) =>
        target(index + 1, { port: 10_000 + index, addresses: addresses.slice(0, count) }),
      );
      health.watch(many);
      await pass(3000);
      for (const { port } of many) backends.hang(`127.0.0.1:${port}`);
      const before = backends.asked.length;
      const answers = many.map(({ id }) => health.asked('httpService', id));
      // The others are for those that are due.
      expect(backends.asked.length - before).toBe(96);
      await pass(3000);
      await Promise.all(answers);
    },
  );

  it('keeps a bounded number of questions open, and leaves room for a service that is saved', async () => {
    const { backends, health, pass, of } = openHealth();
    const many = Array.from({ length: 1000 }, (_, index) => target(index + 1, { port: 10_000 + index }));
    for (const { port } of many) backends.hang(`127.0.0.1:${port}`);
    health.watch(many);
    await pass(10_000);
    expect(backends.asked).toHaveLength(192);
    health.watch([...many, target(2000)]);
    await health.probed('httpService', 2000);
    expect(of(2000).health).toBe('up');
  });
});

describe('a save', () => {
  it('waits no longer than a moment for a backend that swallows everything', async () => {
    const { backends, clock, health, of } = openHealth();
    backends.hang(A);
    health.watch([target(1)]);
    const done = vi.fn<() => void>();
    const waiting = (async () => {
      await health.probed('httpService', 1);
      done();
    })();
    clock.advance(200);
    await settled();
    expect(done).not.toHaveBeenCalled();
    clock.advance(50);
    await settled();
    expect(done).toHaveBeenCalled();
    await waiting;
    expect(of(1).health).toBe('unknown');
  });

  it('waits for the answer that came after it', async () => {
    const { backends, health, of } = openHealth();
    health.watch([target(1)]);
    await health.probed('httpService', 1);
    backends.set('127.0.0.1:9090', REFUSED);
    health.watch([target(1, { version: 2, port: 9090 })]);
    await health.probed('httpService', 1);
    expect(of(1).health).toBe('down');
  });

  it('asks once more where the answer under way may be older than it', async () => {
    const answers: ((reason: string | null) => void)[] = [];
    const probe = () => new Promise<string | null>((resolve) => void answers.push(resolve));
    open = createBackendHealth({ probe, clock: createTestClock(new Date()) });
    open.watch([target(1)]);
    open.watch([target(1, { version: 2 })]);
    const saved = open.probed('httpService', 1);
    answers[0]?.(REFUSED);
    await settled();
    expect(answers).toHaveLength(2);
    answers[1]?.(null);
    await saved;
    expect(open.get('httpService', 1).health).toBe('up');
  });

  it('waits for nothing when nothing was changed, or the service is not watched', async () => {
    const { backends, health } = openHealth();
    health.watch([target(1)]);
    await health.probed('httpService', 1);
    backends.hang(A);
    health.watch([target(1)]);
    await health.probed('httpService', 1);
    await health.probed('tcpService', 1);
    expect(backends.asked).toHaveLength(1);
  });
});

describe('listeners', () => {
  it('hear once of many services that changed together', async () => {
    const { backends, health, changed, pass, of } = openHealth();
    const many = Array.from({ length: 500 }, (_, index) => target(index + 1, { port: 10_000 + index }));
    health.watch(many);
    await pass(30_000);
    changed.mockClear();
    for (const { port } of many) backends.set(`127.0.0.1:${port}`, 'Gone.');
    const seconds = 45;
    await pass(seconds * 1000);
    expect(of(500).health).toBe('down');
    expect(changed.mock.calls.length).toBeLessThanOrEqual(seconds * 4 + 1);
    changed.mockClear();
    await pass(120_000);
    expect(changed).not.toHaveBeenCalled();
  });
});
