import { describe, expect, it } from 'vitest';
import { backendHosts, type Facts, ingressState, withoutOwnNames, NO_STREAM } from './state.ts';
import type { NodeRow, TcpServiceRow } from '../store/rows.ts';
import type { Desired } from '../store/store.ts';
import { TUNNEL_OFF } from '../testing/fakeTunnel.ts';
import { aDomain, testHttpService, testNode, testTcpService } from '../testing/storedRows.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const backendHost = 'me.example.test';
const local = testNode(1, { isLocal: true });
const service = testHttpService(5, { backendHost });
const tcp = (rest: Partial<TcpServiceRow> = {}): TcpServiceRow =>
  testTcpService(9, { backendHost, port: 20_000, ...rest });

/** What becomes of rows, on a machine where all is well unless the facts say otherwise. */
function judged(desired: Partial<Desired>, facts: Partial<Facts> = {}) {
  const problems: string[] = [];
  const state = ingressState(
    { nodes: [local], domains: [], httpServices: [], tcpServices: [], ...desired },
    {
      now: NOW,
      resolutions: new Map([[backendHost, { addresses: ['127.0.0.1'] }]]),
      certificates: new Map(),
      isOwn: (address) => address === '127.0.0.1',
      ownPorts: new Set([8443]),
      tcpPorts: { from: 20_000, to: 20_999 },
      tunnel: TUNNEL_OFF,
      neverConnected: () => false,
      hstsOf: () => null,
      hasStream: true,
      signInProblem: null,
      patternProblems: new Map(),
      blame: (_kind, _id, problem) => void problems.push(problem),
      ...facts,
    },
  );
  const closed = [...state.httpServices, ...state.tcpServices].map((each) => each.closed);
  return { problems, closed };
}

it('closes a service whose backend is the gateway’s own nginx, where a request would go round for ever', () => {
  const judge = (backendPort: number, addresses: string[]) =>
    judged({ httpServices: [{ ...service, backendPort }] }, { resolutions: new Map([[backendHost, { addresses }]]) });
  const loop = { problems: [expect.stringMatching(/leads back to the gateway/)], closed: [true] };
  const open = { problems: [], closed: [false] };
  expect(judge(8443, ['127.0.0.1'])).toEqual(loop);
  expect(judge(8443, ['192.0.2.1', '127.0.0.1'])).toEqual(loop);
  expect(judge(8080, ['127.0.0.1'])).toEqual(open);
  expect(judge(8443, ['192.0.2.1'])).toEqual(open);
});

describe('services under a domain that has become a name of the gateway', () => {
  const [BOX, OLD] = ['box.example.test', 'old.example.test'];
  const facts = { version: 1, createdAt: '', updatedAt: '', allowedEmails: null };
  const domains = [
    { ...aDomain, ...facts, id: 1, domain: BOX },
    { ...aDomain, ...facts, id: 2, domain: OLD },
  ];
  const [edge, site] = [testNode(2), testNode(3)];
  type Place = [nodeId: number, path: string, domain: string | null];
  /** The ids of those that are closed or left out; they count from 1. */
  const putAside = (...places: Place[]) => {
    const httpServices = places.map(([nodeId, pathLocation, domain], index) =>
      testHttpService(index + 1, { nodeId, pathLocation, domain }),
    );
    const desired = { nodes: [local, edge, site], domains, httpServices, tcpServices: [] };
    const { desired: served, outside } = withoutOwnNames(desired, [BOX, OLD]);
    expect(served.httpServices.every(({ domain }) => domain === null)).toBe(true);
    const order = served.httpServices.map(({ id }) => id);
    return {
      closed: [...outside].filter((id) => order.includes(id)),
      gone: [...outside].filter((id) => !order.includes(id)),
      order,
    };
  };
  const none = { closed: [], gone: [] };

  it.each<[string, Place]>([
    ['below', [2, '/WIKI/admin', BOX]],
    ['above', [2, '/w', BOX]],
  ])('are closed %s a path of someone else: neither gets the visitors of the other', (_, place) => {
    expect(putAside([3, '/wiki/', null], [3, '/w/x', null], place)).toMatchObject({ closed: [3], gone: [] });
    expect(putAside([3, '/', null], place)).toMatchObject({ closed: [2], gone: [] });
  });

  it('take no path of someone else', () => {
    expect(putAside([3, '/wiki/', null], [2, '/wiki', BOX])).toMatchObject({ closed: [], gone: [2] });
  });

  it('keep a path that is free, the root, and what the gateway’s own machine has, before those of nodes', () => {
    const places: Place[] = [
      [3, '/wiki', null],
      [2, '/free', BOX],
      [2, '/', BOX],
      [1, '/wiki', BOX],
      [1, '/own', null],
    ];
    expect(putAside(...places)).toEqual({ ...none, order: [5, 4, 1, 2, 3] });
  });

  it('may be damaged', () => {
    expect(putAside([3, '/wiki', null], [1, null as never, null], [2, 7 as never, BOX])).toMatchObject(none);
  });

  it('stay next to each other as they were', () => {
    expect(putAside([2, '/', BOX], [3, '/api', BOX], [1, '/app', BOX])).toMatchObject(none);
  });

  it('are served from the first where two names had the same path', () => {
    expect(putAside([2, '/app', BOX], [3, '/app', OLD])).toMatchObject({ closed: [], gone: [2] });
  });

  it('are looked at in no time that grows with the square of their number', () => {
    const places = Array.from({ length: 4000 }, (_, index): Place => [2 + (index % 2), `/a/b/s${index}`, BOX]);
    let looks = 0;
    const counted = places.map(([nodeId, path, domain], index) =>
      testHttpService(index + 1, { nodeId, domain, pathLocation: path }),
    );
    const watched = counted.map((row) => new Proxy(row, { get: (of, key) => ((looks += 1), Reflect.get(of, key)) }));
    withoutOwnNames({ nodes: [local, edge, site], domains, httpServices: watched, tcpServices: [] }, [BOX]);
    expect(looks).toBeLessThan(4000 * 100);
  });
});

describe('a TCP service', () => {
  /** Its problem; null: it is open. */
  const problemOf = (row: TcpServiceRow, nodes: NodeRow[] = [local], facts: Partial<Facts> = {}): string | null => {
    const { problems, closed } = judged({ nodes, tcpServices: [row] }, facts);
    expect(closed).toEqual([problems.length > 0]);
    return problems[0] ?? null;
  };
  const remote = { ...local, id: 2, name: 'edge', isLocal: false };

  it.each([
    ['its node is disconnected', tcp({ nodeId: 2 }), [{ ...remote, enabled: false }], /edge is disconnected/],
    ['there is no tunnel', tcp({ nodeId: 2 }), [remote], /tunnel is off/],
    ['its name cannot be resolved', tcp({ backendHost: 'gone.test' }), [local], /gone\.test cannot be resolved/],
    ['its port is below the ports of services', tcp({ port: 19_999 }), [local], /outside of 20000 to 20999/],
    ['its port is above them', tcp({ port: 21_000 }), [local], /outside of 20000 to 20999/],
    ['it leads to the gateway', tcp({ backendPort: 8443 }), [local], /leads back to the gateway/],
    ['it leads to itself', tcp({ backendPort: 20_000 }), [local], /leads back to the gateway/],
  ])('is closed while %s', (_, row, nodes, problem) => {
    expect(problemOf(row, nodes)).toMatch(problem);
  });

  it('is closed when it ends TLS on the console’s domain, as no new one does', () => {
    const onConsole = { domain: 'console.example.test', ssl: true };
    const { problems, closed } = judged({
      httpServices: [{ ...service, builtin: true, domain: 'console.example.test' }],
      tcpServices: [
        tcp(onConsole),
        tcp({ ...onConsole, id: 10, ssl: false }),
        tcp({ ...onConsole, id: 11, domain: 'b.test' }),
      ],
    });
    expect(problems).toEqual([
      "It ends TLS under the console's own domain, so it is closed. Give it another domain, or none.",
    ]);
    expect(closed).toEqual([false, true, false, false]);
  });

  it('is open otherwise, also over UDP under a number that the gateway has over TCP', () => {
    expect(problemOf(tcp())).toBeNull();
    expect(problemOf(tcp({ proto: 'udp', backendPort: 8443 }))).toBeNull();
  });

  it('says what to install where nginx cannot serve it, but only while it is wanted', () => {
    expect(problemOf(tcp(), [local], { hasStream: false })).toBe(`${NO_STREAM.reason} ${NO_STREAM.fix}`);
    expect(problemOf(tcp({ enabled: false }), [local], { hasStream: false })).toBeNull();
  });

  it('has its backend looked up while it is open', () => {
    const site = testNode(3, { isGateway: true });
    const behind = { status: { available: true } as const, subnets: new Map([2, 3].map((id) => [id, []])) };
    const hosts = (row: TcpServiceRow, tunnel: Parameters<typeof backendHosts>[2] = behind) => [
      ...backendHosts({ nodes: [local, remote, site], domains: [], httpServices: [], tcpServices: [row] }, NOW, tunnel),
    ];
    expect(hosts(tcp())).toEqual(['me.example.test']);
    expect(hosts(tcp({ enabled: false }))).toEqual([]);
    expect(hosts(tcp({ expiresAt: NOW.toISOString() }))).toEqual([]);
    expect(hosts(tcp({ nodeId: 2 }))).toEqual([]);
    // Where the node's resolver knows the name, through the tunnel alone.
    const web = tcp({ nodeId: 3, backendHost: 'web' });
    expect(hosts(web)).toEqual(['web@10.88.0.3']);
    expect(hosts(tcp({ nodeId: 3, backendHost: '198.19.2.9' }))).toEqual([]);
    // A resolver that is not behind the node is asked for nothing: another program's, or the gateway's own.
    site.resolver = '198.19.2.53';
    expect(hosts(web)).toEqual([]);
    expect(hosts(web, { ...behind, subnets: new Map([[3, ['198.19.2.0/24']]]) })).toEqual(['web@198.19.2.53']);
    site.resolver = '10.88.0.3';
    expect(hosts(web)).toEqual(['web@10.88.0.3']);
    expect(hosts(web, { ...behind, subnets: new Map() })).toEqual([]);
    expect(hosts(web, { ...behind, status: { available: false, reason: '', fix: '' } })).toEqual([]);
  });
});
