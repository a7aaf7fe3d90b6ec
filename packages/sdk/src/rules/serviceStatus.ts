import type { HttpService } from '../contract/httpService.ts';
import type { ServiceStatus } from '../contract/serviceList.ts';

/** What of a service tells how it is. */
type Told = Pick<HttpService, 'enabled' | 'closedBy' | 'problem' | 'health'>;

/**
 * How a service is, in a word. The end of its time to live closes a service also while that cannot be written down; what
 * cannot be served as saved is not up, whatever its backend answers.
 */
export function serviceStatus({ enabled, closedBy, problem, health }: Told): ServiceStatus {
  if (!enabled || closedBy !== null) return 'closed';
  return problem === null ? health : 'failing';
}
