import { accessRules } from './nginxAccess.ts';
import type { ConfigText } from './configText.ts';
import type { DesiredHttpService } from './desiredState.ts';
import { CONSOLE_UPSTREAM } from './nginxMain.ts';
import { writeProxyHeaders } from './nginxHeaders.ts';
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
};

/** @throws {UnquotableError} when a value of the row cannot be written */
export function planService(service: DesiredHttpService, upstreams: Upstreams): ServicePlan {
  const answer = answerOf(service);
  const id = Number(whole(service.id, 1, Number.MAX_SAFE_INTEGER));
  const plan = { id, prefix: pathPrefix(service.pathLocation), builtin: service.builtin, answer };
  if (answer === 'nothing') return { ...plan, body: ['return 404'] };
  if (answer === 'closed') return { ...plan, body: ['return 503'] };
  const rules = accessRules(service);
  if (service.builtin) return { ...plan, body: [...rules, `proxy_pass http://${CONSOLE_UPSTREAM}`] };
  return { ...plan, body: [...rules, `proxy_pass ${upstreams.passTo(service)}`] };
}

/** The service without anything that could be wrong but its path. @throws {UnquotableError} */
export function planClosed(service: DesiredHttpService, upstreams: Upstreams): ServicePlan {
  return planService({ ...service, enabled: true, closed: true }, upstreams);
}

/** Sign-in does not exist yet; until it does, a service that asks for it shows nobody its content. */
function answerOf({ enabled, closed, requireAuth }: DesiredHttpService): Answer {
  if (!enabled) return 'nothing';
  return closed || requireAuth ? 'closed' : 'backend';
}

/** The longest prefix wins, and a prefix ends where a segment ends: /app is not /apple. */
export function writeLocations(out: ConfigText, plan: ServicePlan): void {
  const heads = plan.prefix === '' ? ['location /'] : [`location = ${plan.prefix}`, `location ${plan.prefix}/`];
  out.owned('httpService', plan.id, () => {
    for (const head of heads) {
      out.block(head, () => {
        if (plan.builtin) writeProxyHeaders(out, '$http_cookie');
        else out.line(`set $service_id ${plan.id}`);
        for (const directive of plan.body) out.line(directive);
      });
    }
  });
}
