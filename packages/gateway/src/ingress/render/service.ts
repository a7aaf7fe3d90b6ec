import { attempt } from '../../rules/attempt.ts';
import { API_PATH, isAtOrBelow, isWellKnown, OWN_WELL_KNOWN, WIREDOOR_PATH_PROBLEM } from '../../rules/domainName.ts';
import { type AddressTrees, createAddressTrees, httpAccess } from './access.ts';
import { boundTo, type ConfigText, pathPrefix, whole } from './configText.ts';
import type { DesiredHttpService, RenderFault } from './desiredState.ts';
import { type Guard, guardOf, SIGN_IN_PATH } from './signIn.ts';
import { createSpellings, type PlannedService, type Spellings } from './spellings.ts';
import { CONSOLE_UPSTREAM, createUpstreams, type Upstreams } from './upstream.ts';

/** One service, checked and ready to be written: everything that can fail has been done. */
export type ServicePlan = PlannedService & {
  /** The variables that are 1 for a visitor who must stay out. */
  outsiders: string[];
  /** Whether a list says who may visit it. */
  isListed: boolean;
  body: string[];
  /** Visitors must sign in; null: they need not. */
  guard: Guard | null;
};

/** What the servers of HTTP services need and cannot hold themselves. */
export type Shared = { upstreams: Upstreams; trees: AddressTrees; spellings: Spellings };

/**
 * Where services are planned: what servers share, whether visitors can be asked to sign in, whether proxies in front pass them
 * on, and who else is answered there.
 */
export type Place = { shared: Shared; signIn: boolean; isFronted: boolean; wiredoorClients?: boolean };

export const createShared = (): Shared => ({
  upstreams: createUpstreams(),
  trees: createAddressTrees(),
  spellings: createSpellings(),
});

/** Writes all that was asked for while the servers were planned. */
export function writeShared(out: ConfigText, { upstreams, trees, spellings }: Shared, connections: number): void {
  trees.write(out);
  spellings.write(out);
  upstreams.write(out, connections);
}

/** Plans the services of one server; what cannot be planned is closed, what cannot even be closed is left out. */
export function planServices(
  services: readonly DesiredHttpService[],
  faults: RenderFault[],
  place: Place,
): ServicePlan[] {
  const places = new Set<string>();
  const console = services.some(({ builtin }) => builtin);
  const plans = services.flatMap((service) => {
    const blame = (reason: string): void =>
      void faults.push({ kind: 'httpService', id: service.id, reason, own: true });
    if (console && !service.builtin) {
      blame('The domain belongs to the console, which shares it with no service. Choose another domain.');
      return [];
    }
    // Closed, nothing of it could be wrong but its path.
    const plan =
      attempt(() => planService(service, place), blame) ??
      attempt(
        () => planService({ ...service, enabled: true, closed: true }, place),
        () => undefined,
      );
    if (plan === null) return [];
    if (`${plan.prefix}/`.startsWith(`${SIGN_IN_PATH}/`)) {
      blame(`Paths below ${SIGN_IN_PATH} are the gateway's own. Choose another path.`);
      return [];
    }
    if (service.domain === null && !service.builtin && isWellKnown(plan.prefix)) {
      blame(OWN_WELL_KNOWN);
      return [];
    }
    if (place.wiredoorClients === true && isAtOrBelow(plan.prefix, API_PATH)) {
      blame(WIREDOOR_PATH_PROBLEM);
      return [];
    }
    if (places.has(plan.prefix)) {
      blame('Another service is already reached by the same domain and path. Choose another path.');
      return [];
    }
    places.add(plan.prefix);
    return [plan];
  });
  place.shared.spellings.add(services, plans, place.shared.trees);
  return plans;
}

/**
 * Ends a connection with the answer of a node's backend, which could be an upgrade that the proxy was asked for and nginx was
 * not: what the visitor writes through such a tunnel, nginx would take for what the proxy says.
 */
const ENDED = 'keepalive_timeout 0';

/** @throws {UnquotableError} when a value of the row cannot be written */
function planService(service: DesiredHttpService, place: Place): ServicePlan {
  const id = Number(whole(service.id, 1, Number.MAX_SAFE_INTEGER));
  const prefix = pathPrefix(service.pathLocation);
  const answer = answerOf(service, place.signIn);
  // A flag that cannot be read is none that opens.
  const asked: unknown = service.requireAuth;
  const { builtin, remoteNode } = service;
  const asksSignIn = asked !== false && !builtin;
  const plan = { id, prefix, builtin, remoteNode, answer, asksSignIn, outsiders: [], isListed: false, guard: null };
  if (answer === 'nothing') return { ...plan, body: ['return 404'] };
  if (answer === 'closed') return { ...plan, body: ['return 503'] };
  const { outsiders, rules } = httpAccess({ ...service, id }, place.shared.trees);
  const target = builtin ? `http://${CONSOLE_UPSTREAM}` : place.shared.upstreams.passTo(service);
  return {
    ...plan,
    outsiders,
    isListed: outsiders.length > 0 || rules.length > 0,
    guard: service.requireAuth && !builtin ? guardOf(service, prefix) : null,
    body: [
      ...rules,
      ...(place.isFronted && remoteNode !== null ? [ENDED] : []),
      ...boundTo(service.sourceAddress),
      `proxy_pass ${target}`,
    ],
  };
}

/** Where visitors cannot sign in, a service that asks for it shows its content to no one; so does the console. */
function answerOf(
  { enabled, closed, requireAuth, builtin }: DesiredHttpService,
  signIn: boolean,
): PlannedService['answer'] {
  if (!enabled) return 'nothing';
  return closed || (requireAuth && (builtin || !signIn)) ? 'closed' : 'backend';
}
