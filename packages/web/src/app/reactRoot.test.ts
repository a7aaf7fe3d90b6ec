import { expect, it } from 'vitest';

it('leaves errors as they are: they tell where they were made', async () => {
  const before = Error.stackTraceLimit;
  const { createRoot } = await import('./reactRoot.ts');
  expect(createRoot).toBeTypeOf('function');
  expect(Error.stackTraceLimit).toBe(before);
  expect(new Error('here').stack).toContain('reactRoot.test.ts');
});
