import type { PublicAddress } from '@sallyport/sdk/contract';
import type { Context, HandlersOf } from '../context.ts';
import { failure } from '../failure.ts';

type Asked = Pick<Context, 'settings' | 'store' | 'world'>;

export const publicAddressHandlers: HandlersOf<'publicAddress'> = {
  'publicAddress.get': (_input, context) => showAddress(context),

  async 'publicAddress.change'({ body: { host } }, context) {
    const problem = fixedProblem(context.settings);
    if (problem !== null) throw failure.rejected(problem);
    await context.write((tx) => tx.settings.set('publicAddress', host.toLowerCase()));
    return showAddress(context);
  },
};

/** The public address as it is and will be, and what is known of it. */
export async function showAddress({ settings, store, world }: Asked): Promise<PublicAddress> {
  const { vpnHost: host, hostSource: source } = settings;
  const stored = source === 'environment' ? null : await store.settings.get('publicAddress');
  const next = stored === host ? null : stored;
  const judged = stored ?? host;
  const [{ warnings, facts }, candidates] = await Promise.all([
    world.publicAddress.report({ host: judged, source: stored === null ? source : 'setting' }),
    world.publicAddress.candidates(),
  ]);
  const nodes = await store.nodes.all({ isLocal: false });
  const lastHandshake = Math.max(0, ...nodes.map(({ id }) => world.nodeRuntime(id).latestHandshakeTimestamp ?? 0));
  return {
    host,
    source,
    next,
    problem: fixedProblem(settings),
    warnings: [...warnings, ...(await nameWarnings(judged, { isNew: next !== null, store }))],
    facts,
    lastHandshakeAt: lastHandshake === 0 ? null : new Date(lastHandshake).toISOString(),
    candidates,
  };
}

const fixedProblem = ({ hostSource }: Pick<Context['settings'], 'hostSource'>): string | null =>
  hostSource === 'environment'
    ? 'The address is set by SALLYPORT_VPN_HOST in the settings of the gateway. Change it there, or remove it there to choose the address here, and start the gateway again.'
    : null;

/**
 * A domain that becomes the gateway's own name is none from then on (`ingress/state.ts`).
 * @param options.isNew it is not the gateway's yet, under which nodes have their services without a domain
 */
async function nameWarnings(
  host: string,
  { isNew, store }: Pick<Asked, 'store'> & { isNew: boolean },
): Promise<string[]> {
  const isDomain = (await store.domains.all({ domain: host })).length > 0;
  const wasNodes = isNew && (await store.formerNames.has({ name: host, usedBy: 'node' }));
  return [
    isDomain &&
      `${host} is one of your domains. The gateway's own name is no domain: its services are then served without one, by the gateway's own certificate, and those that require sign-in are closed. Choose another name, or move its services first.`,
    wasNodes &&
      `A node had a website at ${host}. Browsers keep its programs, which could read what is served without a domain. Choose a name that no node has had.`,
  ].filter((warning) => warning !== false);
}
