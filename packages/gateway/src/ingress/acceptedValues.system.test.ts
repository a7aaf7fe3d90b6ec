import { check, httpServiceInput, type HttpServiceInput } from '@sallyport/sdk/contract';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  domainRow,
  openReconcileTrial,
  type ReconcileTrial,
  save,
  servedFiles,
  serviceRow,
} from '../testing/reconcileTrial.ts';
import type { HttpServiceRow, NewRow } from '../store/rows.ts';

// Whatever the contract accepts, nginx takes, and nothing of it becomes a directive.

let trial: ReconcileTrial;

beforeAll(async () => {
  trial = await openReconcileTrial({ resolve: async () => ['127.0.0.1'] });
});
afterAll(() => trial.close());

const SEED = 20_261_121;
const SERVICES = 400;
/** In every value that may hold it, so that it can be looked for. */
const MARK = 'pwned';

const inject = fc.constantFrom(
  `;${MARK}`,
  `{${MARK}}`,
  `"${MARK}`,
  `'${MARK}`,
  `\\${MARK}`,
  `$${MARK}`,
  `\n${MARK} on;`,
  `#${MARK}`,
  ' ',
  '',
);
const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?$/);
const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4().map((ip) => `::ffff:${ip}`),
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([ip, bits]) => `${ip}/${bits}`),
  fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })).map(([ip, bits]) => `${ip}/${bits}`),
  fc.constantFrom(
    '0.0.0.0/0',
    '::/0',
    '::',
    '::1',
    '1::',
    '::1.2.3.4',
    '255.255.255.255',
    'fe80::1%eth0',
    'all',
    'unix:',
  ),
);
const list = fc.option(fc.uniqueArray(address, { maxLength: 6 }));
const input: fc.Arbitrary<HttpServiceInput> = fc.record({
  name: fc.tuple(fc.string({ unit: 'binary', maxLength: 60 }), inject).map((parts) => parts.join('') || MARK),
  domain: fc.oneof(
    // Not too many: each has a key to be made.
    fc.stringMatching(/^[a-e](?:-?[0-5])?$/).map((one) => `${one}.example.test`),
    fc.constantFrom(
      'xn--bcher-kva.example',
      `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(50)}.test`,
      null,
    ),
    fc.tuple(label, inject).map(([one, two]) => `${one}${two}.test`),
  ),
  pathLocation: fc.oneof(
    fc.stringMatching(/^\/[A-Za-z0-9._~/-]{0,60}$/),
    fc.tuple(label, inject).map(([one, two]) => `/${one}${two}`),
    fc.constantFrom('/', '/~', '/-', '/.hidden', '/a.b/', `/${'p'.repeat(199)}`, '/@error_page', '/^~', '/*'),
  ),
  backendProto: fc.constantFrom('http', 'https'),
  backendHost: fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    label,
    fc.tuple(label, inject).map((parts) => parts.join('')),
  ),
  backendPort: fc.integer({ min: 1, max: 65_535 }),
  allowedIps: list,
  blockedIps: list,
  requireAuth: fc.constant(false),
  skipAuthRoutes: fc.option(fc.constantFrom('/public', '^/a.*$', `/${MARK}`, '')),
});

/** What the contract makes of the input; null when it refuses it. */
function accepted(value: HttpServiceInput): Partial<NewRow<HttpServiceRow>> | null {
  const result = check(httpServiceInput, value);
  if (!result.ok) return null;
  const { ttl: _, ...row } = result.value as typeof result.value & { ttl?: unknown };
  return row as Partial<NewRow<HttpServiceRow>>;
}

it('is served in one configuration, with no one in quarantine', async () => {
  const inputs = fc.sample(input, { seed: SEED, numRuns: SERVICES * 8 });
  const rows = inputs.flatMap((value) => accepted(value) ?? []).slice(0, SERVICES);
  // Enough is accepted for the rest to mean something, and not everything.
  expect(rows.length).toBe(SERVICES);
  expect(inputs.length - inputs.flatMap((value) => accepted(value) ?? []).length).toBeGreaterThan(100);
  const places = new Set<string>();
  const { rejected, value: saved } = await save(trial, async (tx) => {
    const created: HttpServiceRow[] = [];
    for (const row of rows) {
      const place = `${row.domain} ${row.pathLocation?.replace(/\/$/, '')}`;
      if (places.has(place)) continue;
      places.add(place);
      const domain = row.domain ?? null;
      if (domain !== null && (await tx.domains.all({ domain })).length === 0) {
        await tx.domains.create(domainRow(domain));
      }
      created.push(await tx.httpServices.create(serviceRow(80, { ...row, backendPort: row.backendPort ?? 80 })));
    }
    return created;
  });
  expect(rejected).toBeNull();
  expect(trial.reconciler.state()).toMatchObject({ up: true, problem: null });
  const problems = saved.flatMap(({ id }) => trial.reconciler.problem('httpService', id) ?? []);
  // The one reason there may be is none of the configuration.
  expect(problems.filter((problem) => !/leads back to the gateway/.test(problem))).toEqual([]);
  const text = servedFiles(trial)
    .map((file) => file.text)
    .join('\n');
  expect(text).not.toContain(MARK);
  for (const { id } of saved) expect(text.includes(`$service_id ${id};`)).toBe(true);
});
