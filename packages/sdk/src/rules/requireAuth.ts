import type { Domain } from '../contract/domain.ts';
import { message } from '../contract/message.ts';
import type { Problem } from '../contract/problem.ts';

/** Sign-in can be required only where the service's domain has authentication. */
export function requireAuthProblem(
  requireAuth: boolean | null | undefined,
  domain: Pick<Domain, 'authentication'> | null,
): Problem | null {
  return requireAuth && !domain?.authentication ? { field: 'requireAuth', message: message.authenticationOff } : null;
}
