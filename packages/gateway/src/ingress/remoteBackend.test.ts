import { describe, expect, it } from 'vitest';
import { testNode } from '../testing/testNodes.ts';
import { remoteBackend } from './remoteBackend.ts';
import type { TunnelView } from '../tunnel/reconcile.ts';

const on = (subnets: readonly (readonly [number, readonly string[]])[], problem?: string): TunnelView => ({
  status: { available: true },
  gateway: '10.88.0.1',
  subnets: new Map(subnets),
  problems: new Map(problem === undefined ? [] : [[2, problem]]),
});
const plain = testNode(2);
const site = testNode(2, { name: 'site', isGateway: true });

describe('where a service of a remote node is', () => {
  it('is nowhere while the tunnel is off, for its reason, and says what turns it on', () => {
    const status = { available: false, reason: 'Only root can.', fix: 'Be root.' } as const;
    expect(remoteBackend(null, plain, { ...on([[2, []]]), status })).toEqual({
      problem: 'The tunnel is off, so the nodes behind it cannot be reached. Only root can. Be root.',
    });
  });

  it('is nowhere when its node was left out of the tunnel, for the reason', () => {
    expect(remoteBackend(null, plain, on([], 'Its row is damaged.'))).toEqual({
      problem: 'Its node node 2 is not in the tunnel. Its row is damaged.',
    });
  });

  it('is the node itself, whatever host was given', () => {
    const view = on([[2, []]]);
    expect(remoteBackend(null, plain, view)).toEqual({ addresses: ['10.88.0.2'] });
    expect(remoteBackend('192.0.2.7', plain, view)).toEqual({ addresses: ['10.88.0.2'] });
  });

  it("is behind a gateway node that leads there, for who asks from the tunnel's own address", () => {
    const view = on([[2, ['198.19.2.0/24']]]);
    const behind = { addresses: ['198.19.2.9'], sourceAddress: '10.88.0.1' };
    expect(remoteBackend('198.19.2.9', site, view)).toEqual(behind);
    expect(remoteBackend('10.88.0.2', site, view)).toEqual({ addresses: ['10.88.0.2'] });
  });

  it.each([
    ['198.19.3.9', /^198\.19\.3\.9 is not behind its node site, which leads to 198\.19\.2\.0\/24\.$/],
    ['10.88.0.3', /^10\.88\.0\.3 is not behind its node site/],
    ['2001:db8::1', /^2001:db8::1 is not behind its node site/],
    [
      'printer.lan',
      /^The name printer\.lan cannot be looked up from here, behind its node site\. .* has 10\.88\.0\.2\.$/,
    ],
    [null, /^It has no backend host\./],
  ])('is refused at %s behind a gateway node, with the reason', (host, reason) => {
    expect(remoteBackend(host, site, on([[2, ['198.19.2.0/24']]]))).toEqual({
      problem: expect.stringMatching(reason) as string,
    });
  });
});
