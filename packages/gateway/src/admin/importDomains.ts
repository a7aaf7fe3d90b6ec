import { type Client, isApiError } from '@sallyport/sdk';
import type { Domain, Node } from '@sallyport/sdk/contract';
import { keepPair, removePair } from './issuedPairs.ts';
import type { PlannedDomain } from './importPlan.ts';

/** What becomes of a planned domain, or became. `reason`: why it has no certificate of an authority, or was not made. */
export type DomainOutcome = {
  domain: PlannedDomain;
  state: 'new' | 'there' | 'made' | 'failed';
  reason: string | null;
};

/**
 * Makes the domains that are missing, and gives those their certificate that are self-signed so far. One whose certificate
 * the gateway does not take is self-signed.
 * @param options.node the node whose access tokens may use them, next to the administrator
 * @param options.apply false: nothing is changed
 */
export async function importDomains(
  client: Client,
  domains: readonly PlannedDomain[],
  {
    dataDirectory,
    node,
    apply,
    told,
  }: {
    dataDirectory: string;
    node: Pick<Node, 'id' | 'isLocal'>;
    apply: boolean;
    told(outcome: DomainOutcome): void;
  },
): Promise<DomainOutcome[]> {
  const there = new Map<string, Domain>();
  for await (const each of client.domain.all()) there.set(each.domain, each);
  const forms = { reserved: true, allowedNodes: node.isLocal ? null : [node.id] };
  const outcomes: DomainOutcome[] = [];
  for (const domain of domains) {
    const outcome = await importOne(domain, there.get(domain.domain));
    outcomes.push(outcome);
    told(outcome);
  }
  return outcomes;

  async function importOne(domain: PlannedDomain, former: Domain | undefined): Promise<DomainOutcome> {
    if (former !== undefined && (domain.pair === null || former.ssl === 'certbot')) {
      return { domain, state: 'there', reason: null };
    }
    if (!apply) return { domain, state: 'new', reason: null };
    const refusal = domain.pair === null ? null : await withCertificate(domain, domain.pair, former);
    if (domain.pair !== null && refusal === null) return { domain, state: 'made', reason: null };
    const reason = refusal === null ? null : `its certificate does not go along: ${refusal}`;
    if (former !== undefined) return { domain, state: 'failed', reason };
    const { domain: name, hsts } = domain;
    try {
      await client.domain.create({
        body: { ...forms, domain: name, ssl: 'self-signed', skipValidation: true, hsts },
      });
      return { domain, state: 'made', reason };
    } catch (error) {
      return { domain, state: 'failed', reason: sayingOf(error) };
    }
  }

  /** @returns why it could not be; null: it was */
  async function withCertificate(
    { domain, hsts }: PlannedDomain,
    pair: NonNullable<PlannedDomain['pair']>,
    former: Domain | undefined,
  ): Promise<string | null> {
    try {
      // First: the gateway does not ask where a name leads whose certificate it has.
      await keepPair(dataDirectory, domain, pair);
      if (former === undefined) await client.domain.create({ body: { ...forms, domain, ssl: 'certbot', hsts } });
      else await client.domain.update({ params: { id: former.id }, body: { ssl: 'certbot' } });
      return null;
    } catch (error) {
      removePair(dataDirectory, domain);
      return sayingOf(error);
    }
  }
}

/** What the gateway says of a refusal. */
const sayingOf = (error: unknown): string =>
  isApiError(error) ? error.problems.map(({ message }) => message).join(' ') || error.message : String(error);
