import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { type EndpointName, endpoints } from './contract.ts';
import type { CallEndpoint } from './endpoint.ts';
import { message } from './message.ts';
import { check } from './problem.ts';

// Every call by its method and path, which clients outside of this repository rely on.
const calls = `
POST /api/auth/login · POST /api/auth/logout · GET /api/auth/me
GET /api/nodes · GET /api/nodes/stream · GET /api/nodes/stream · GET /api/nodes/{id} · GET /api/nodes/{id}/config · GET /api/nodes/{id}/download
POST /api/nodes · PATCH /api/nodes/{id} · PATCH /api/nodes/{id}/enable · PATCH /api/nodes/{id}/disable
DELETE /api/nodes/{id}
GET /api/domains · GET /api/domains/{id} · POST /api/domains · PATCH /api/domains/{id} · DELETE /api/domains/{id}
GET /api/services · GET /api/services/http · GET /api/services/http/stream · GET /api/services/{nodeId}/http · GET /api/services/{nodeId}/http/{id}
GET /api/services/{nodeId}/http/{id}/ping
POST /api/services/{nodeId}/http · PATCH /api/services/{nodeId}/http/{id} · PATCH /api/services/{nodeId}/http/{id}/enable
PATCH /api/services/{nodeId}/http/{id}/disable · DELETE /api/services/{nodeId}/http/{id}
GET /api/services/tcp · GET /api/services/tcp/stream · GET /api/services/{nodeId}/tcp · GET /api/services/{nodeId}/tcp/{id}
POST /api/services/{nodeId}/tcp · PATCH /api/services/{nodeId}/tcp/{id} · PATCH /api/services/{nodeId}/tcp/{id}/enable
PATCH /api/services/{nodeId}/tcp/{id}/disable · DELETE /api/services/{nodeId}/tcp/{id}
GET /api/nodes/{id}/pats · POST /api/nodes/{id}/pats · PATCH /api/nodes/{id}/pats/{tokenId}/revoke
DELETE /api/nodes/{id}/pats/{tokenId}
GET /api/tokens · POST /api/tokens · DELETE /api/tokens/{id}
GET /api/sessions · DELETE /api/sessions/{id} · DELETE /api/sessions · GET /api/auth/password · POST /api/auth/password
GET /api/logs/stream
GET /api/public-address · PATCH /api/public-address
GET /api/cli/node · GET /api/cli/config · GET /api/cli/wgconfig · PATCH /api/cli/node/gateway
GET /api/cli/services/http · GET /api/cli/services/tcp · POST /api/cli/expose/http · POST /api/cli/expose/tcp
PATCH /api/cli/services/http/{id} · PATCH /api/cli/services/tcp/{id}
PATCH /api/cli/services/http/{id}/enable · PATCH /api/cli/services/http/{id}/disable
PATCH /api/cli/services/tcp/{id}/enable · PATCH /api/cli/services/tcp/{id}/disable · PATCH /api/cli/regenerate
GET /api/config · GET /api/openapi.json · GET /api/backup · GET /healthz
`
  .split(/[·\n]/)
  .map((call) => call.trim())
  .filter((call) => call !== '');

test('the contract keeps every call', () => {
  expect(endpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`)).toEqual(expect.arrayContaining(calls));
});

test('the place of each value in a path has a parameter, and the other way round', () => {
  for (const { name, endpoint } of endpoints) {
    const places = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => String(match[1]));
    const shape = (endpoint.params as { shape?: object } | undefined)?.shape ?? {};
    expect(Object.keys(shape).toSorted(), name).toEqual(places.toSorted());
  }
});

test('a node token reaches nothing but its own calls', () => {
  const open = endpoints.filter(({ endpoint }) => endpoint.access !== 'admin').map(({ name }) => name);
  const own = endpoints.map(({ name }) => name).filter((name) => name.startsWith('cli.'));
  const others: EndpointName[] = [
    'joinKey.redeem',
    'session.login',
    'session.me',
    'system.config',
    'system.openapi',
    'system.health',
    // Of its own services alone.
    'log.watch',
  ];
  expect(open.toSorted()).toEqual([...own, ...others].toSorted());
});

/** Every schema that reads something from outside. */
const inputs = endpoints.flatMap(({ name, endpoint }) => {
  const { params, query, body } = endpoint as CallEndpoint;
  return Object.entries({ params, query, body }).flatMap(([part, schema]) =>
    schema ? [{ part: `${name} ${part}`, schema }] : [],
  );
});

// The fixed wordings, and those that carry values, as patterns.
const wordings = Object.values(message)
  .flatMap((wording) => {
    if (typeof wording !== 'function') return [wording];
    const worded = wording as (value: unknown) => string;
    return [worded(['\ue000']), worded(['\ue000', '\ue000'])];
  })
  .map((text) => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&').replace(/\\\{key\\\}|\ue000.*\ue000|\ue000/g, '[^]*'))
  .map((pattern) => new RegExp(`^${pattern}$`));
const known = (text: string) => wordings.some((wording) => wording.test(text));

/** Values near the ones that are expected, so that garbage gets past the first check. */
const nearly = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    0,
    -1,
    1.5,
    Number.NaN,
    Infinity,
    '/',
    '192.0.2.1',
    'a.test',
    true,
    [],
    [null],
    {},
  ),
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.anything(),
);

/** The names of an object schema's fields. */
function fieldNames(schema: z.ZodMiniType): string[] {
  const { shape, innerType } = schema as { shape?: object; innerType?: z.ZodMiniType };
  const inner = innerType ?? (schema._zod.def as { innerType?: z.ZodMiniType }).innerType;
  return shape ? Object.keys(shape) : inner ? fieldNames(inner) : [];
}

describe.each(inputs)('$part', ({ schema }) => {
  const names = fieldNames(schema);

  test('answers anything at all with problems in known words, and never throws', () => {
    const objects = fc.dictionary(fc.constantFrom(...names, 'id', '__proto__', 'constructor'), nearly);
    fc.assert(
      fc.property(fc.oneof({ weight: 3, arbitrary: objects }, nearly), (value) => {
        const checked = check(schema, value);
        if (checked.ok) return;
        expect(checked.problems).not.toEqual([]);
        for (const problem of checked.problems) {
          expect(problem.message).not.toContain('{key}');
          expect(problem.message).toSatisfy(known);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('names the field that is wrong', () => {
    for (const name of names) {
      const checked = check(schema, { [name]: { nobody: 'sends this' } });
      const fields = checked.ok ? [] : checked.problems.map((problem) => problem.field);
      expect(
        fields.some((field) => field === name || field.startsWith(`${name}.`)),
        name,
      ).toBe(true);
    }
  });
});
