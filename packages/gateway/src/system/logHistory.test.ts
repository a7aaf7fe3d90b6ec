import { expect, it } from 'vitest';
import { createLogHistory } from './logHistory.ts';

it('goes on behind a line that is known, however many there are; else it begins with the last few', () => {
  const history = createLogHistory();
  const key = { kind: 'http', id: 1 } as const;
  history.add(Array.from({ length: 400 }, (_, index) => ({ keys: [key], line: { id: `${index}`, text: `${index}` } })));
  expect(history.recent(key, 100, '99').map(({ id }) => id)).toEqual(
    Array.from({ length: 300 }, (_, index) => `${index + 100}`),
  );
  expect(history.recent(key, 100, 'unknown')).toHaveLength(100);
  expect(history.recent(key, 100)).toHaveLength(100);
});
