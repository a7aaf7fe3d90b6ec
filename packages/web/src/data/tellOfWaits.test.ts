import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { toasts } from '../state/toasts.ts';
import { tellOfWaits } from './tellOfWaits.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  toasts.clear();
  vi.useRealTimers();
});

const call = (headers: Record<string, string> = {}) => new Request('http://gateway.test/api/nodes', { headers });
const told = () => toasts.get().map(({ message }) => message);

it('tells once that calls wait, and no longer than they do', async () => {
  const answers = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
  const pending = [...answers];
  const fetch = tellOfWaits(() => pending.shift()?.promise ?? Promise.reject(new Error('one too many')));
  const calls = [fetch(call()), fetch(call())];
  await vi.advanceTimersByTimeAsync(3900);
  expect(told()).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(told()).toEqual([expect.stringMatching(/^Still waiting for the gateway\. .* six connections/)]);
  answers[0]?.resolve(new Response());
  await calls[0];
  expect(told()).toHaveLength(1);
  answers[1]?.reject(new TypeError('connection reset'));
  await expect(calls[1]).rejects.toThrow('connection reset');
  expect(told()).toEqual([]);
});

it('says nothing of a stream, which may be quiet', async () => {
  const fetch = tellOfWaits(() => new Promise(() => undefined));
  void fetch(call({ accept: 'text/event-stream' }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told()).toEqual([]);
});
