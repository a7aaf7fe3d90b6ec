import { domainDefaults } from '@sallyport/sdk/contract';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { renderNginx } from './render/nginx.ts';
import { ingressState, patternProblems, type PatternProblems } from './state.ts';
import type { Desired } from '../store/store.ts';
import { renderOptions } from '../testing/desiredStates.ts';
import { TUNNEL_OFF } from '../testing/fakeTunnel.ts';
import { testHttpService, testNode, testTcpService } from '../testing/storedRows.ts';

/** What the rendering begins with, as plain data: a copy of it is as good. */
type Given = { desired: Desired; addresses: Record<string, string[]>; neverConnected: number[]; signIn: boolean };

const times = { version: 1, createdAt: '', updatedAt: '' };
const HOSTS = ['one.internal', 'two.internal'];
const DOMAINS = ['a.example.test', 'b.example.test'];

/** Two nodes, two domains, services that share backends, and the console. */
function initial(): Given {
  const http = { backendHost: 'one.internal', domain: 'a.example.test' };
  return {
    desired: {
      nodes: [1, 2].map((id) => testNode(id, { isLocal: true, address: '127.0.0.1' })),
      domains: DOMAINS.map((name, index) =>
        Object.assign({}, domainDefaults, times, {
          cameWithService: false,
          id: index + 1,
          domain: name,
          authentication: index === 0,
        }),
      ),
      httpServices: [
        testHttpService(9, { builtin: true, backendPort: 3000 }),
        testHttpService(10, { ...http, requireAuth: true, skipAuthRoutes: '/10/public\n^/(', pathLocation: '/10' }),
        ...[11, 12, 13, 14].map((id) => testHttpService(id, { ...http, pathLocation: `/${id}` })),
      ],
      tcpServices: [20, 21].map((id) => testTcpService(id, { backendHost: 'two.internal', backendPort: 5432 })),
    },
    addresses: { 'one.internal': ['192.0.2.1'], 'two.internal': ['192.0.2.2', '2001:db8::2'] },
    neverConnected: [],
    signIn: true,
  };
}

/**
 * All that becomes of it: nginx's text, whose lines they are, and what is wrong.
 * @param objects those of the last time, which are made those of this time
 */
function rendered(
  { desired, addresses, neverConnected, signIn }: Given,
  patterns: PatternProblems = patternProblems(desired.httpServices, new Map()),
  objects = new Map<number, object>(),
): string {
  const problems: unknown[] = [];
  const state = ingressState(desired, {
    now: new Date(0),
    resolutions: new Map(Object.entries(addresses).map(([host, found]) => [host, { addresses: found }])),
    certificates: new Map(DOMAINS.map((name) => [name, { certificate: `/${name}.pem`, key: `/${name}.key` }])),
    isOwn: (address) => address === '127.0.0.1',
    ownPorts: new Set([443]),
    tcpPorts: { from: 1, to: 65_535 },
    tunnel: TUNNEL_OFF,
    neverConnected: (id) => neverConnected.includes(id),
    hstsOf: () => null,
    hasStream: true,
    signInProblem: signIn ? null : 'There is no identity provider.',
    patternProblems: patterns,
    blame: (...problem) => void problems.push(problem),
  });
  const reused = <Service extends { id: number }>(service: Service): Service => {
    const object = Object.assign(objects.get(service.id) ?? {}, service);
    objects.set(service.id, object);
    return object;
  };
  const httpServices = state.httpServices.map(reused);
  const tcpServices = state.tcpServices.map(reused);
  return JSON.stringify({ ...renderNginx({ ...state, httpServices, tcpServices }, renderOptions), problems });
}

const anyOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const list = fc.oneof(
  fc.constant(null),
  fc.subarray(['192.0.2.0/24', '192.0.2.9', 'no address']),
  fc.integer({ min: 33, max: 35 }).map((length) => Array.from({ length }, (_, each) => `198.51.100.${each}`)),
);
const common = {
  enabled: fc.boolean(),
  nodeId: anyOf(1, 2),
  backendHost: anyOf(...HOSTS),
  backendPort: anyOf(80, 443, 8080),
  domain: anyOf(...DOMAINS, null),
  allowedIps: list,
  blockedIps: list,
};
const httpChange = fc.record(
  {
    ...common,
    pathLocation: anyOf('/', '/10', '/10/deep', '/other', 'no path'),
    backendProto: anyOf('http' as const, 'https' as const),
    requireAuth: fc.boolean(),
    skipAuthRoutes: anyOf(null, '/10/public', '/other\n^/10/[a-z]+$', '^/(', '^/10/(?=x)'),
  },
  { requiredKeys: [] },
);
const tcpChange = fc.record({ ...common, ssl: fc.boolean() }, { requiredKeys: [] });
const domainChange = fc.record({ authentication: fc.boolean() }, { requiredKeys: [] });
const about = fc.record({
  addresses: fc.dictionary(anyOf(...HOSTS), fc.subarray(['192.0.2.1', '192.0.2.2'], { minLength: 1 })),
  neverConnected: fc.subarray([1, 2]),
  signIn: fc.boolean(),
});

/** Changes one thing, in a row of its own or in place: either must show, and nothing else. */
type Step = (given: Given) => Given;
const edit = <Row>(rows: readonly Row[], index: number, change: Partial<Row>, inPlace: boolean): Row[] =>
  rows.map((row, each) => {
    if (each !== index % rows.length) return row;
    return inPlace ? (Object.assign(row as object, change) as Row) : { ...row, ...change };
  });
const place = { index: fc.nat(20), inPlace: fc.boolean() };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: changeOf('httpServices', httpChange) },
  changeOf('tcpServices', tcpChange),
  changeOf('domains', domainChange),
  about.map((facts): Step => (given) => ({ ...given, ...facts })),
);

function changeOf<Table extends keyof Desired>(table: Table, changes: fc.Arbitrary<Partial<Desired[Table][number]>>) {
  return fc.record({ change: changes, ...place }).map(({ change, index, inPlace }): Step => (given) => {
    const rows = edit<Desired[Table][number]>(given.desired[table], index, change, inPlace);
    return { ...given, desired: { ...given.desired, [table]: rows } };
  });
}

it('renders what it is given, whatever was rendered before, and whatever was kept of it', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      let given = initial();
      let kept: PatternProblems = new Map();
      const objects = new Map<number, object>();
      const past: { given: Given; text: string }[] = [];
      const again = (): string => {
        kept = patternProblems(given.desired.httpServices, kept);
        return rendered(given, kept, objects);
      };
      for (const apply of steps) {
        given = apply(given);
        const copy = structuredClone(given);
        // Of objects that were never seen before, and without anything that was kept.
        const text = rendered(copy);
        expect(again()).toBe(text);
        past.push({ given: copy, text });
      }
      for (const { given: former, text } of past.toReversed()) {
        given = former;
        expect(again()).toBe(text);
      }
    }),
    { numRuns: 50 },
  );
  // It takes less than a second; a busy machine has all the time it needs.
}, 120_000);
