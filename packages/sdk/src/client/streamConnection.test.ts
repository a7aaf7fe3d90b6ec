import { expect, test, vi } from 'vitest';
import { createClient } from './createClient.ts';

test('a stream that is left while what reads it is loaded sends nothing', async () => {
  const fetch = vi.fn<(request: Request) => Promise<Response>>(() => Promise.withResolvers<Response>().promise);
  const events = createClient({ baseUrl: 'https://gateway.test', fetch }).node.watch();
  const next = events.next();
  await events.return?.();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(fetch).not.toHaveBeenCalled();
});
