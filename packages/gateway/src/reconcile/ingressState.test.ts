import { httpServiceDefaults, nodeDefaults } from '@sallyport/sdk/contract';
import { expect, it } from 'vitest';
import { ingressState } from './ingressState.ts';
import type { HttpServiceRow, NodeRow } from '../store/rows.ts';

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
      hasStream: true,
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
