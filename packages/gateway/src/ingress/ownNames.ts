import { isOwnName, OWN_NAME_PROBLEM } from '../rules/domainName.ts';
import type { DomainRow } from '../store/rows.ts';
import type { Desired } from '../store/store.ts';

/** Why such a domain is not served, in a sentence. */
export const OWN_NAME_REASON = `${OWN_NAME_PROBLEM}. Its services are served without a domain: save them so, then delete it.`;

/**
 * The rows without the domains that are names of the gateway itself: as such they would take down every service without
 * a domain. None is made any more, but an older gateway may have left one, and the gateway's name may change. Their
 * services are served without a domain, after all others, so that no path is taken away.
 */
export function withoutOwnNames(
  desired: Desired,
  hostNames: readonly string[],
): { desired: Desired; ownDomains: readonly DomainRow[] } {
  const ownDomains = desired.domains.filter(({ domain }) => isOwnName(domain, hostNames));
  if (ownDomains.length === 0) return { desired, ownDomains };
  const names = new Set(ownDomains.map(({ domain }) => domain));
  const moved = <Row extends { domain: string | null }>(rows: readonly Row[]): Row[] => {
    const isNamed = ({ domain }: Row) => domain !== null && names.has(domain);
    return [...rows.filter((row) => !isNamed(row)), ...rows.filter(isNamed).map(unnamed)];
  };
  return {
    ownDomains,
    desired: {
      ...desired,
      domains: desired.domains.filter(({ domain }) => !names.has(domain)),
      httpServices: moved(desired.httpServices),
      tcpServices: moved(desired.tcpServices),
    },
  };
}

const unnamed = <Row extends { domain: string | null }>(row: Row): Row => ({ ...row, domain: null });
