import { expect, it } from 'vitest';
import { createTestGateway, TEST_ADMIN } from '../testing.ts';
import { testApi } from '../testing/testApi.ts';
import type { RefusedRequest } from './http/createHttp.ts';
import { Failure, failure, loggedReason } from './failure.ts';

it('names the fields in the log, never what was given for them', async () => {
  const refused: RefusedRequest[] = [];
  const gateway = await createTestGateway({ refused: (facts) => void refused.push(facts) });
  const { token } = (await testApi(gateway, null)('POST /api/auth/login', TEST_ADMIN)).body;
  const call = testApi(gateway, String(token));
  await call('POST /api/nodes', { name: 'edge', isGateway: 'hunter2' });
  await gateway.stop();
  expect(refused.map(({ reason }) => reason)).toEqual([
    'Validation failed: isGateway: This field must be a boolean; gatewayNetwork: This field is required',
  ]);
});

it('takes a line each, however many fields a caller makes up, and whatever their names', () => {
  const made = failure.invalid([{ field: 'a\n{"level":60}\u001b[2J', message: 'x'.repeat(500) }]);
  expect(loggedReason(made)).toMatch(/^Validation failed: a\?\{"level":60\}\?\[2J: x{100,200}$/);
  const many = failure.invalid(
    Array.from({ length: 12 }, (_, at) => ({ field: `f${at}`, message: 'no' })),
    'query',
  );
  expect(loggedReason(many)).toMatch(/^Validation failed: query f0: no; .*; query f9: no; and 2 more$/);
  expect(loggedReason(new Failure(404, 'Not found'))).toBe('Not found');
});
