import { expect, it } from 'vitest';
import { clientHello } from './tlsHello.ts';

it('makes what a client says first once for each name', async () => {
  const first = await clientHello('app.example.test');
  expect(first.includes('app.example.test')).toBe(true);
  expect(await clientHello('app.example.test')).toBe(first);
  expect((await clientHello('wiki.example.test')).includes('wiki.example.test')).toBe(true);
  expect((await clientHello(null)).includes('example.test')).toBe(false);
});
