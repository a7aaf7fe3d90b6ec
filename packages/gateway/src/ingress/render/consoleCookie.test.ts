import { expect, it } from 'vitest';
import { SESSION_COOKIE } from '../../api/session/session.ts';
import { CONSOLE_COOKIE } from './proxyHeaders.ts';

it('nginx keeps that very cookie from services which the gateway sets', () => {
  expect(CONSOLE_COOKIE).toBe(SESSION_COOKIE);
});
