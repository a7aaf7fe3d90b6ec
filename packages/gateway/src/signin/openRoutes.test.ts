import { RE2Set } from 're2js';
import { expect, it, vi } from 'vitest';
import { createOpenRoutes } from './openRoutes.ts';

it('says which paths are open, and of no patterns that none is', () => {
  const ask = createOpenRoutes();
  expect(ask('/plain\n^/a', '/a/b')).toBe('open');
  expect(ask('/plain\n^/a', '/plain')).toBe('guarded');
  for (const lines of [null, '', '/a', '^/(?=a)']) expect(ask(lines, '/a')).toBe('guarded');
});

/** What a question takes of the processor, to read the patterns and to match, and a clock that is set by hand. */
function trial() {
  const state = { now: 0, used: 0, reading: 0, took: 0 };
  let looks = 0;
  const ask = createOpenRoutes({
    now: () => state.now,
    // Each question looks at it before, after the reading, and at the end.
    used: () => (state.used += [0, state.reading, state.took][looks++ % 3] ?? 0),
  });
  return { state, ask };
}

it('lets patterns that are slow again and again wait, and no others', () => {
  const { state, ask } = trial();
  state.took = 20;
  const answers = Array.from({ length: 8 }, () => ask('^/slow', '/slow'));
  expect(answers).toEqual(['open', 'open', 'open', 'open', 'open', 'busy', 'busy', 'busy']);
  state.took = 0;
  expect(ask('^/fast', '/fast')).toBe('open');
  // From then on they have a twentieth of the time.
  state.took = 20;
  state.now += 20;
  expect(ask('^/slow', '/slow')).toBe('open');
  expect(ask('^/slow', '/slow')).toBe('busy');
  state.now += 379;
  expect(ask('^/slow', '/slow')).toBe('busy');
  state.now += 2;
  expect(ask('^/slow', '/slow')).toBe('open');
});

it('makes no one wait for a pattern that was slow once, as when it is new', () => {
  const { state, ask } = trial();
  state.took = 30;
  expect(ask('^/usual', '/usual')).toBe('open');
  state.took = 1;
  for (let count = 0; count < 100; count += 1) expect(ask('^/usual', '/usual')).toBe('open');
});

it('forgets patterns that nobody asked for in ten minutes, and reads them again', () => {
  const { state, ask } = trial();
  const read = vi.spyOn(RE2Set.prototype, 'compile');
  ask('^/seldom', '/seldom');
  ask('^/often', '/often');
  state.now += 9 * 60_000;
  ask('^/often', '/often');
  expect(read).toHaveBeenCalledTimes(2);
  state.now += 2 * 60_000;
  ask('^/often', '/often');
  ask('^/seldom', '/seldom');
  expect(read).toHaveBeenCalledTimes(3);
  read.mockRestore();
});

it.each([
  ['to match', { took: 20 }],
  ['to read', { reading: 20 }],
])('lets more patterns that are slow %s than it keeps wait as well', (_what, times) => {
  const { state, ask } = trial();
  Object.assign(state, times);
  const texts = Array.from({ length: 250 }, (_, index) => `^/slow${index}`);
  const answers = Array.from({ length: 3 }, () => texts.map((text) => ask(text, '/slow'))).flat();
  // Each is new once.
  expect(answers.slice(texts.length).every((answer) => answer === 'busy')).toBe(true);
});
