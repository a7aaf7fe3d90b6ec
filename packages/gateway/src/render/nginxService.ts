import { accessRules } from './nginxAccess.ts';
import type { ConfigText } from './configText.ts';
import type { DesiredHttpService } from './desiredState.ts';
import { CONSOLE_UPSTREAM } from './nginxMain.ts';
import { writeProxyHeaders } from './nginxHeaders.ts';
import { type Guard, guardOf, writeGuard, writeOpenRoutes } from './nginxSignIn.ts';
import { pathPrefix, whole } from './nginxText.ts';
import type { Upstreams } from './nginxUpstream.ts';

/** How a service is answered: by its backend, not at all (404), or with an excuse (503). */
export type Answer = 'backend' | 'nothing' | 'closed';

/** One service, checked and ready to be written: everything that can fail has been done. */
export type ServicePlan = {
  id: number;
  /** Without its last slash; the root is empty. */
  prefix: string;
  builtin: boolean;
  answer: Answer;
  body: string[];
  /** Visitors must sign in; null: they need not. */
  guard: Guard | null;
};

/** Where services are planned: the backends so far, and whether visitors can be asked to sign in. */
export type Place = { upstreams: Upstreams; signIn: boolean };

/** @throws {UnquotableError} when a value of the row cannot be written */
export function planService(service: DesiredHttpService, { upstreams, signIn }: Place): ServicePlan {
  const answer = answerOf(service, signIn);
  const id = Number(whole(service.id, 1, Number.MAX_SAFE_INTEGER));
  const prefix = pathPrefix(service.pathLocation);
  const plan = { id, prefix, builtin: service.builtin, answer, guard: null };
  if (answer === 'nothing') return { ...plan, body: ['return 404'] };
  if (answer === 'closed') return { ...plan, body: ['return 503'] };
  const rules = accessRules(service);
  if (service.builtin) return { ...plan, body: [...rules, `proxy_pass http://${CONSOLE_UPSTREAM}`] };
  const guard = service.requireAuth ? guardOf(service, prefix) : null;
  return { ...plan, guard, body: [...rules, `proxy_pass ${upstreams.passTo(service)}`] };
}

/** The service without anything that could be wrong but its path. @throws {UnquotableError} */
export function planClosed(service: DesiredHttpService, place: Place): ServicePlan {
  return planService({ ...service, enabled: true, closed: true }, place);
}

/** Where nobody can sign in, a service that asks for it shows nobody its content; so does the console, whose own it is. */
function answerOf({ enabled, closed, requireAuth, builtin }: DesiredHttpService, signIn: boolean): Answer {
  if (!enabled) return 'nothing';
  return closed || (requireAuth && (builtin || !signIn)) ? 'closed' : 'backend';
}

/** The longest prefix wins, and a prefix ends where a segment ends: /app is not /apple. */
export function writeLocations(out: ConfigText, plan: ServicePlan): void {
  const { guard } = plan;
  const exact = plan.prefix === '' ? [] : [`location = ${plan.prefix}`];
  const below = `location ${plan.prefix}/`;
  const answer = [...(plan.builtin ? [] : [`set $service_id ${plan.id}`]), ...plan.body];
  out.owned('httpService', plan.id, () => {
    for (const head of [...exact, below]) {
      out.block(head, () => {
        if (plan.builtin) writeProxyHeaders(out, '$http_cookie');
        if (guard !== null && (head === below || !guard.opensPrefix)) writeGuard(out, plan.id);
        for (const directive of answer) out.line(directive);
        if (guard !== null && head === below) writeOpenRoutes(out, guard, answer);
      });
    }
  });
}
