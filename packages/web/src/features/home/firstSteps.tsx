import type { Domain, ListedService, Node } from '@sallyport/sdk/contract';
import { isLoopbackHost } from '@sallyport/sdk/rules';
import { useEffect } from 'react';
import { useUnavailable } from '../../data/gateway.ts';
import { useRead } from '../../data/queries.ts';
import { remembered, useStore } from '../../state/store.ts';

/** One of the first steps: whether it is done, and what is known of it; null: nothing. */
export type Step = {
  name: 'address' | 'service' | 'node' | 'domain';
  done: boolean;
  note: string | null;
  /** The gateway lacks what it needs, which comes first. */
  needsTunnel?: boolean | undefined;
  /** That is there, and needs a certificate of an authority. */
  selfSigned?: Domain | undefined;
};

/** How often it is looked what was done meanwhile, here, by the command line or on another host. */
const LOOK_MS = 4000;
/** One of what there is would do. */
const limit = 20;
/** Those first that were heard last. */
const heard = { limit, orderBy: 'latestHandshakeTimestamp,desc' } as const;

/** Whether the first steps were done or put away once, in this browser. They do not come back. */
export const firstRun = remembered('first-run', ['open', 'over'], 'open');

/** The first steps as they are; null while that is not known, and when they are over. */
export function useFirstSteps(): Step[] | null {
  const enabled = useStore(firstRun) === 'open';
  const steps = useSteps(enabled);
  const isOver = steps?.every(({ done }) => done) ?? false;
  useEffect(() => {
    if (isOver) firstRun.set('over');
  }, [isOver]);
  return enabled ? steps : null;
}

function useSteps(enabled: boolean): Step[] | null {
  const every = { enabled, everyMs: LOOK_MS };
  const { data: address } = useRead('publicAddress.get', {}, { enabled });
  const { data: services } = useRead('service.list', { query: { limit } }, every);
  const { data: nodes } = useRead('node.list', { query: heard }, every);
  const { data: domains } = useRead('domain.list', { query: { limit } }, every);
  const tunnelOff = useUnavailable('tunnel');
  const noAuthority = useUnavailable('letsEncrypt');
  const nameless = useUnavailable('publicName');
  if (!address || !services || !nodes || !domains) return null;
  const isChosen = address.source !== 'machine' && nameless === null;
  const host = address.next ?? (isChosen ? address.host : null);
  const isOwn = host !== null && isLoopbackHost(host);
  return [
    {
      name: 'address',
      done: host !== null && !isOwn,
      note: isOwn ? `At ${host} only this machine finds the gateway.` : host,
    },
    serviceStep(services.data),
    nodeStep(nodes.data, tunnelOff !== null),
    domainStep(domains.data, noAuthority !== null),
  ];
}

/** The console is a service of this machine, too, and none that was exposed. */
function serviceStep(services: readonly ListedService[]): Step {
  const own = services.filter((service) => service.type === 'tcp' || !service.builtin);
  const served = own.find(({ problem }) => problem === null);
  return served
    ? { name: 'service', done: true, note: served.name }
    : { name: 'service', done: false, note: own[0]?.problem ?? null };
}

function nodeStep(nodes: readonly Node[], tunnelOff: boolean): Step {
  const others = nodes.filter(({ isLocal }) => !isLocal);
  const joined = others.find(({ latestHandshakeTimestamp }) => latestHandshakeTimestamp !== null);
  const [awaited] = others;
  if (joined) return { name: 'node', done: true, note: joined.name };
  if (tunnelOff) {
    return { name: 'node', done: false, note: 'It needs the tunnel of this gateway, which is off.', needsTunnel: true };
  }
  return { name: 'node', done: false, note: awaited ? `Waiting for ${awaited.name} to connect…` : null };
}

/** Where no authority can be asked, a self-signed certificate is all that a domain can have. */
function domainStep(domains: readonly Domain[], noAuthority: boolean): Step {
  const served = domains.filter(({ certificateEndsAt }) => certificateEndsAt !== null);
  const trusted = served.find(({ ssl }) => noAuthority || ssl === 'certbot');
  if (trusted) return { name: 'domain', done: true, note: trusted.domain };
  const awaited = domains.find(({ ssl, certificateEndsAt }) => ssl === 'certbot' || certificateEndsAt === null);
  if (awaited) return { name: 'domain', done: false, note: awaited.problem ?? awaited.pending };
  const [signed] = served;
  const note = signed
    ? `${signed.domain} is self-signed: browsers warn until it has a certificate of an authority.`
    : null;
  return { name: 'domain', done: false, note, selfSigned: signed };
}
