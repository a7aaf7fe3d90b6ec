import { afterEach, expect, test, vi } from 'vitest';
import { createClient } from './createClient.ts';
import { untilAborted } from './body.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('settles as the work does, or with the reason of the signal', async () => {
  const { signal } = new AbortController();
  await expect(untilAborted(Promise.resolve(5), signal)).resolves.toBe(5);
  await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  const reason = new Error('enough');
  await expect(untilAborted(Promise.resolve(5), AbortSignal.abort(reason))).rejects.toBe(reason);
});

test('a stream that connects again for hours keeps no listener of the connections before', async () => {
  const listeners = new Set<unknown>();
  vi.spyOn(AbortSignal.prototype, 'addEventListener').mockImplementation((_, listener) => void listeners.add(listener));
  vi.spyOn(AbortSignal.prototype, 'removeEventListener').mockImplementation(
    (_, listener) => void listeners.delete(listener),
  );
  // The platform's own request listens to its signal for itself.
  vi.stubGlobal('Request', Object);
  // It is loaded with the first stream, which no clock of a test can hurry.
  await import('./reconnecting.ts');
  vi.useFakeTimers();
  let connections = 0;
  const fetch = async () => {
    connections += 1;
    return connections < 60
      ? new Response(': hello\n\n', { headers: { 'content-type': 'text/event-stream' } })
      : new Response('{}', { status: 401 });
  };
  const events = createClient({ baseUrl: 'https://gateway.test', fetch }).log.watch({ query: { domain: 'app.test' } });
  const failed = events.next().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(connections).toBeGreaterThan(20);
  expect(listeners.size).toBeLessThan(10);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await failed).toMatchObject({ kind: 'unauthorized' });
  expect(listeners.size).toBe(0);
});
