import { message } from '../contract/message.ts';
import type { Node } from '../contract/node.ts';
import type { Problem } from '../contract/problem.ts';

/** A gateway or local node reaches several hosts, so the backend's must be named; a plain node is its own backend. */
export const backendHostRequired = (node: Pick<Node, 'isGateway' | 'isLocal'>): boolean =>
  node.isGateway || node.isLocal;

/** What is wrong with a service's backend host, given its node (specification section 5); null when nothing is. */
export function backendHostProblem(
  node: Pick<Node, 'isGateway' | 'isLocal'>,
  backendHost: string | null | undefined,
): Problem | null {
  if (backendHostRequired(node)) {
    return backendHost ? null : { field: 'backendHost', message: message.required };
  }
  return backendHost
    ? {
        field: 'backendHost',
        message: 'A backend host can be given only for a gateway or the local node',
      }
    : null;
}
