import { expect, test } from 'vitest';
import { check } from './problem.ts';
import { session, sessionSeconds } from './session.ts';

test.each([
  [{ expires_in: 3600 }, 3600],
  [{ expires_in: 3600, expiresIn: '2h' }, 3600],
  [{ expires_in: 0, expiresIn: '2h' }, 0],
  [{ expiresIn: '45s' }, 45],
  [{ expiresIn: '90m' }, 5400],
  [{ expiresIn: '12h' }, 43_200],
  [{ expiresIn: '7 d' }, 604_800],
  [{ expiresIn: '600' }, 600],
  [{ expiresIn: 600 }, 600],
  [{ expiresIn: 'soon' }, null],
  [{ expiresIn: '' }, null],
  [{}, null],
])('%j lives %s seconds', (value, seconds) => {
  const checked = check(session, { token: 'opaque', ...value });
  expect(checked.ok && sessionSeconds(checked.value)).toBe(seconds);
});
