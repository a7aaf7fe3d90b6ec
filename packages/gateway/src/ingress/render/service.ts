import { httpAccess } from './access.ts';
import type { DesiredHttpService } from './desiredState.ts';
import { CONSOLE_UPSTREAM } from './main.ts';
import { type Guard, guardOf } from './signIn.ts';
import { boundTo, pathPrefix, whole } from './text.ts';
import type { Shared } from './shared.ts';

/** How a service is answered: by its backend, not at all (404), or with an excuse (503). */
export type Answer = 'backend' | 'nothing' | 'closed';

/** One service, checked and ready to be written: everything that can fail has been done. */
export type ServicePlan = {
  id: number;
  /** Without its last slash; the root is empty. */
  prefix: string;
  builtin: boolean;
  /** The node behind the tunnel whose it is; null: the gateway's own machine. */
  remoteNode: number | null;
  answer: Answer;
  /** The variables that are 1 for a visitor who must stay out. */
  outsiders: string[];
  body: string[];
  /** Visitors must sign in; null: they need not. */
  guard: Guard | null;
  /** Whether its row asks for a sign-in, also while it shows its content to nobody. */
  asksSignIn: boolean;
};

/** Where services are planned: what servers share, and whether visitors can be asked to sign in. */
export type Place = { shared: Shared; signIn: boolean };

/** @throws {UnquotableError} when a value of the row cannot be written */
export function planService(service: DesiredHttpService, place: Place): ServicePlan {
  const id = Number(whole(service.id, 1, Number.MAX_SAFE_INTEGER));
  const prefix = pathPrefix(service.pathLocation);
  const answer = answerOf(service, place.signIn);
  // A flag that cannot be read is none that opens.
  const asked: unknown = service.requireAuth;
  const asksSignIn = asked !== false && !service.builtin;
  const { builtin, remoteNode } = service;
  const plan = { id, prefix, builtin, remoteNode, answer, asksSignIn, outsiders: [], guard: null };
  if (answer === 'nothing') return { ...plan, body: ['return 404'] };
  if (answer === 'closed') return { ...plan, body: ['return 503'] };
  const { outsiders, rules } = httpAccess({ ...service, id }, place.shared.trees);
  return {
    ...plan,
    outsiders,
    guard: service.requireAuth && !service.builtin ? guardOf(service, prefix) : null,
    body: [...rules, ...boundTo(service.sourceAddress), `proxy_pass ${targetOf(service, place)}`],
  };
}

/** Where its requests go. @throws {UnquotableError} */
const targetOf = (service: DesiredHttpService, { shared }: Place): string =>
  service.builtin ? `http://${CONSOLE_UPSTREAM}` : shared.upstreams.passTo(service);

/** The service without anything that could be wrong but its path. @throws {UnquotableError} */
export function planClosed(service: DesiredHttpService, place: Place): ServicePlan {
  return planService({ ...service, enabled: true, closed: true }, place);
}

/** Where nobody can sign in, a service that asks for it shows nobody its content; so does the console, whose own it is. */
function answerOf({ enabled, closed, requireAuth, builtin }: DesiredHttpService, signIn: boolean): Answer {
  if (!enabled) return 'nothing';
  return closed || (requireAuth && (builtin || !signIn)) ? 'closed' : 'backend';
}
