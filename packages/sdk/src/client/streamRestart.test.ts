import { expect, test, vi } from 'vitest';
import { createClient } from './createClient.ts';
import type { StreamState } from './stream.ts';

test('a stream says so when the gateway does not know any more where it was left', async () => {
  // It is loaded with the first stream, which no clock of a test can hurry.
  await import('./reconnecting.ts');
  vi.useFakeTimers();
  const asked: (string | null)[] = [];
  const reply = (event: string, more: Record<string, string> = {}) =>
    new Response(event, { headers: { 'content-type': 'text/event-stream', ...more } });
  const states: [StreamState, boolean][] = [];
  const client = createClient({
    baseUrl: 'https://gateway.test',
    fetch: async ({ headers }) => {
      asked.push(headers.get('last-event-id'));
      if (asked.length === 1) return reply('id: 41\ndata: ["a"]\n\n');
      return reply('id: 77\ndata: ["z"]\n\n', asked.length === 2 ? { 'x-stream-restarted': 'true' } : {});
    },
  });
  const found: string[] = [];
  const watched = client.log.watch(
    { query: { domain: 'app.test' } },
    { onState: (state, { resumed }) => states.push([state, resumed]) },
  );
  const reading = (async () => {
    for await (const lines of watched) {
      found.push(...lines);
      if (found.length === 2 && asked.length === 3) break;
    }
  })();
  await vi.advanceTimersByTimeAsync(2000);
  await watched.return?.();
  await reading;
  vi.useRealTimers();
  expect(asked).toEqual([null, '41', '77']);
  expect(found).toEqual(['a', 'z']);
  expect(states.filter(([state]) => state === 'open')).toEqual([
    ['open', false],
    ['open', false],
    ['open', true],
  ]);
});
