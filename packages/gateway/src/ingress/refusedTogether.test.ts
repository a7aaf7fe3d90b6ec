import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { seededGateway, type SeededGateway } from '../testing/testApi.ts';
import { refuses } from '../testing/fakeIngress.ts';

// Changes of many callers that cannot be served, in one generation: they must not hold up the others.

let { gateway, admin }: SeededGateway = {} as never;
const PATHS = Array.from({ length: 12 }, (_, index) => `/bad${index}`);
/** Those who come at once are served in two generations, as the first may be alone; each is made once more at most. */
const MOST_ROUNDS = 4;

beforeEach(async () => {
  ({ gateway, admin } = await seededGateway());
});
afterEach(() => gateway.stop());

const expose = (pathLocation: string) =>
  admin('POST /api/services/1/http', { name: pathLocation, pathLocation, backendHost: '127.0.0.1', backendPort: 8080 });
const served = (): string => JSON.stringify(gateway.system.ingress.served()?.files);

it('takes all back at once that nginx refuses, though it names one of them at a time', async () => {
  gateway.system.ingress.rejectWhen(refuses('/bad'));
  const apply = vi.spyOn(gateway.system.ingress, 'apply');
  const [good, ...bad] = await Promise.all(['/good', ...PATHS].map(expose));
  expect(good?.status).toBe(200);
  expect(bad.map(({ status }) => status)).toEqual(PATHS.map(() => 400));
  expect(apply.mock.calls.length).toBeLessThanOrEqual(MOST_ROUNDS);
  expect(served()).toContain('/good {');
  expect(served()).not.toContain('/bad');
});

it('takes all back at once that cannot be written down', async () => {
  const made = await Promise.all(PATHS.map(expose));
  for (const { body } of made) {
    await gateway.store.write((tx) =>
      tx.httpServices.update(Number(body['id']), { enabled: false, blockedIps: ['no address'] }),
    );
  }
  const rounds = vi.spyOn(gateway.system.ingress, 'apply');
  const desired = vi.spyOn(gateway.store, 'desired');
  const enable = ({ body }: (typeof made)[number]) => admin(`PATCH /api/services/1/http/${Number(body['id'])}/enable`);
  const answers = await Promise.all(made.map(enable));
  expect(answers.map(({ status }) => status)).toEqual(PATHS.map(() => 400));
  expect(desired.mock.calls.length).toBeLessThanOrEqual(MOST_ROUNDS);
  expect(rounds.mock.calls.length).toBeLessThanOrEqual(MOST_ROUNDS);
});
