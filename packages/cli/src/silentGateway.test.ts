import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeMachine } from './testing/fakeMachine.ts';
import { GATEWAY_URL, createShell } from './testing/shell.ts';

const WAITING = 'Waiting for https://gateway.example.test to answer …\n';
const login = ['login', '--operator', '--url', GATEWAY_URL, '--username', 'admin', '--password-stdin'];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Runs a command against a gateway that takes each request and never answers; tells when what was said. */
async function runSilent(argv: readonly string[], token?: string) {
  let requests = 0;
  const silent = () => {
    requests += 1;
    return new Promise<Response>(() => undefined);
  };
  const now = () => new Date('2026-11-21T08:00:00Z');
  const shell = createShell(silent, now, createFakeMachine(now));
  let err = '';
  let ended: { code: number; out: string; err: string } | undefined;
  const env = token === undefined ? {} : { SALLYPORT_TOKEN: token };
  const done = shell
    .run(argv, { input: 'password', env, onError: (text) => (err = text) })
    .then((result) => (ended = result));
  await vi.waitFor(() => expect(requests).toBeGreaterThan(0));
  return {
    said: () => err,
    done,
    /** Lets so many milliseconds pass; how it ended, if it has. */
    after: async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return ended;
    },
  };
}

describe('a gateway that never answers', () => {
  it.each([
    ['the first contact of an operator', login, 10_000],
    ['the first contact of a host', ['login', ...login.slice(2)], 10_000],
    ['the first contact by a token', ['connect', '--url', GATEWAY_URL], 10_000],
  ])('is told of after two seconds at %s, and left with 6', async (_, argv, limitMs) => {
    const run = await runSilent(argv, 'spn_0123456789');
    await run.after(1900);
    expect(run.said()).toBe('');
    await run.after(200);
    expect(run.said()).toBe(WAITING);
    expect(await run.after(limitMs - 2200)).toBeUndefined();
    await run.after(200);
    expect(await run.done).toEqual({
      code: 6,
      out: '',
      err: `${WAITING}sallyport: The gateway did not answer within ${limitMs / 1000} s (${GATEWAY_URL}). Check the address, and that the gateway runs.\n`,
    });
  });

  it('is not told of with --quiet', async () => {
    const run = await runSilent([...login, '--quiet']);
    await run.after(10_100);
    expect(await run.done).toMatchObject({ code: 6, err: expect.stringMatching(/^sallyport: [^\n]+\n$/) });
  });
});
