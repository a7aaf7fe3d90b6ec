import { httpServiceDefaults, nodeDefaults, tcpServiceDefaults } from '@sallyport/sdk/contract';
import { describe, expect, it } from 'vitest';
import { backendHosts, type Facts, ingressState } from './state.ts';
import type { HttpServiceRow, NodeRow, TcpServiceRow } from '../store/rows.ts';
import { TUNNEL_OFF } from '../testing/fakeTunnel.ts';

const times = { version: 1, createdAt: '2026-11-21T12:00:00.000Z', updatedAt: '2026-11-21T12:00:00.000Z' };
const local: NodeRow = {
  ...nodeDefaults,
  ...times,
  id: 1,
  name: 'Local',
  address: '127.0.0.1',
  isLocal: true,
  enabled: true,
  publicKey: null,
  sealedPrivateKey: null,
  sealedPresharedKey: null,
};
const service: HttpServiceRow = {
  ...httpServiceDefaults,
  ...times,
  id: 5,
  nodeId: 1,
  name: 'app',
  backendHost: 'me.example.test',
  backendPort: 8080,
  enabled: true,
  expiresAt: null,
  closedAt: null,
  closedBy: null,
  builtin: false,
};

/** The problem of a service with this backend, and whether it is closed. */
function judge(backendPort: number, addresses: string[]) {
  const problems: string[] = [];
  const state = ingressState(
    { nodes: [local], domains: [], httpServices: [{ ...service, backendPort }], tcpServices: [] },
    {
      now: new Date(),
      resolutions: new Map([['me.example.test', { addresses }]]),
      certificates: new Map(),
      isOwn: (address) => address === '127.0.0.1',
      ownPorts: new Set([8443]),
      tunnel: TUNNEL_OFF,
      neverConnected: () => false,
      hstsOf: () => null,
      hasStream: true,
      signInProblem: null,
      patternProblems: new Map(),
      blame: (_kind, _id, problem) => void problems.push(problem),
    },
  );
  return { problems, closed: state.httpServices[0]?.closed };
}

it('closes a service whose backend is the gateway’s own nginx, where a request would go round for ever', () => {
  const circle = { problems: [expect.stringMatching(/leads back to the gateway/)], closed: true };
  expect(judge(8443, ['127.0.0.1'])).toEqual(circle);
  expect(judge(8443, ['192.0.2.1', '127.0.0.1'])).toEqual(circle);
  expect(judge(8080, ['127.0.0.1'])).toEqual({ problems: [], closed: false });
  expect(judge(8443, ['192.0.2.1'])).toEqual({ problems: [], closed: false });
});

describe('a TCP service', () => {
  const NOW = new Date('2026-11-21T12:00:00.000Z');
  const tcp = (rest: Partial<TcpServiceRow> = {}): TcpServiceRow => ({
    ...tcpServiceDefaults,
    ...times,
    id: 9,
    nodeId: 1,
    name: 'broker',
    backendHost: 'me.example.test',
    port: 20_000,
    enabled: true,
    expiresAt: null,
    closedAt: null,
    closedBy: null,
    ...rest,
  });
  /** Its problem (null: it is open), with the facts of a machine where all is well unless they say otherwise. */
  const problemOf = (row: TcpServiceRow, nodes: NodeRow[] = [local], facts: Partial<Facts> = {}): string | null => {
    const problems = new Map<string, string>();
    const state = ingressState(
      { nodes, domains: [], httpServices: [], tcpServices: [row] },
      {
        now: NOW,
        resolutions: new Map([['me.example.test', { addresses: ['127.0.0.1'] }]]),
        certificates: new Map(),
        isOwn: (address) => address === '127.0.0.1',
        ownPorts: new Set([8443]),
        tunnel: TUNNEL_OFF,
        neverConnected: () => false,
        hstsOf: () => null,
        hasStream: true,
        signInProblem: null,
        patternProblems: new Map(),
        blame: (kind, id, problem) => void problems.set(`${kind} ${id}`, problem),
        ...facts,
      },
    );
    const problem = problems.get('tcpService 9') ?? null;
    expect(state.tcpServices[0]?.closed).toBe(problem !== null);
    return problem;
  };
  const remote = { ...local, id: 2, name: 'edge', isLocal: false };

  it.each([
    ['its node is disconnected', tcp({ nodeId: 2 }), [{ ...remote, enabled: false }], /edge is disconnected/],
    ['there is no tunnel', tcp({ nodeId: 2 }), [remote], /tunnel is off/],
    ['its name cannot be resolved', tcp({ backendHost: 'gone.test' }), [local], /gone\.test cannot be resolved/],
    ['it leads to the gateway', tcp({ backendPort: 8443 }), [local], /leads back to the gateway/],
    ['it leads to itself', tcp({ backendPort: 20_000 }), [local], /leads back to the gateway/],
  ])('is closed while %s', (_, row, nodes, problem) => {
    expect(problemOf(row, nodes)).toMatch(problem);
  });

  it('is closed when it ends TLS on the console’s domain, as no new one does', () => {
    const problems: string[] = [];
    const onConsole = { domain: 'console.example.test', ssl: true };
    const state = ingressState(
      {
        nodes: [local],
        domains: [],
        httpServices: [{ ...service, builtin: true, domain: 'console.example.test' }],
        tcpServices: [
          tcp(onConsole),
          tcp({ ...onConsole, id: 10, ssl: false }),
          tcp({ ...onConsole, id: 11, domain: 'b.test' }),
        ],
      },
      {
        now: NOW,
        resolutions: new Map([['me.example.test', { addresses: ['127.0.0.1'] }]]),
        certificates: new Map(),
        isOwn: () => false,
        neverConnected: () => false,
        hstsOf: () => null,
        ownPorts: new Set(),
        tunnel: TUNNEL_OFF,
        hasStream: true,
        signInProblem: null,
        patternProblems: new Map(),
        blame: (kind, id, problem) => void problems.push(`${kind} ${id}: ${problem}`),
      },
    );
    expect(problems).toEqual([
      "tcpService 9: It ends TLS under the console's own domain, so it is closed. Give it another domain, or none.",
    ]);
    expect(state.tcpServices.map(({ closed }) => closed)).toEqual([true, false, false]);
  });

  it('is open otherwise, also over UDP under a number that the gateway has over TCP', () => {
    expect(problemOf(tcp())).toBeNull();
    expect(problemOf(tcp({ proto: 'udp', backendPort: 8443 }))).toBeNull();
  });

  it('says what to install where nginx cannot serve it, but only while it is wanted', () => {
    expect(problemOf(tcp(), [local], { hasStream: false })).toContain('apt-get install libnginx-mod-stream');
    expect(problemOf(tcp({ enabled: false }), [local], { hasStream: false })).toBeNull();
  });

  it('has its backend looked up while it is open', () => {
    const hosts = (row: TcpServiceRow) => [
      ...backendHosts({ nodes: [local, remote], domains: [], httpServices: [], tcpServices: [row] }, NOW),
    ];
    expect(hosts(tcp())).toEqual(['me.example.test']);
    expect(hosts(tcp({ enabled: false }))).toEqual([]);
    expect(hosts(tcp({ expiresAt: NOW.toISOString() }))).toEqual([]);
    expect(hosts(tcp({ nodeId: 2 }))).toEqual([]);
  });
});
