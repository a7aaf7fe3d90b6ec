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
 * What became of all, and which of their names are not the administrator's to fill: with why, by name. Their services are
 * not made, for the pages of others would be next to them.
 */
export type ImportedDomains = { outcomes: DomainOutcome[]; taken: ReadonlyMap<string, string> };

/**
 * Makes the domains that are missing, and gives those their certificate that are self-signed so far. One whose certificate
 * the gateway does not take is self-signed. One that any node could take is reserved first, and left alone where another
 * node has: its services would have the certificate and the visitors that are the administrator's.
 * @param options.node the node whose access tokens may use them, next to the administrator
 * @param options.nodes all nodes
 * @param options.apply false: nothing is changed
 */
export async function importDomains(
  client: Client,
  domains: readonly PlannedDomain[],
  {
    dataDirectory,
    node,
    nodes,
    apply,
    told,
  }: {
    dataDirectory: string;
    node: Pick<Node, 'id' | 'isLocal'>;
    nodes: readonly Pick<Node, 'id' | 'isLocal' | 'name'>[];
    apply: boolean;
    told(outcome: DomainOutcome): void;
  },
): Promise<ImportedDomains> {
  const there = new Map<string, Domain>();
  for await (const each of client.domain.all()) there.set(each.domain, each);
  const forms = { reserved: true, allowedNodes: node.isLocal ? null : [node.id] };
  const outcomes: DomainOutcome[] = [];
  const taken = new Map<string, string>();
  for (const domain of domains) {
    const outcome = await importOne(domain, there.get(domain.domain));
    outcomes.push(outcome);
    told(outcome);
  }
  return { outcomes, taken };

  async function importOne(domain: PlannedDomain, former: Domain | undefined): Promise<DomainOutcome> {
    if (former?.reserved === false) {
      const others = (await othersOn(former)) ?? (apply ? await reserve(former) : null);
      if (others !== null) {
        taken.set(domain.domain, others);
        return { domain, state: 'failed', reason: others };
      }
    }
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
      // Someone may have taken it meanwhile.
      taken.set(name, `its domain was not made: ${sayingOf(error)}`);
      return { domain, state: 'failed', reason: sayingOf(error) };
    }
  }

  /** Afterwards no access token can put a service on it; one that did so meanwhile is seen. */
  async function reserve(former: Domain): Promise<string | null> {
    await client.domain.update({ params: { id: former.id }, body: forms });
    return othersOn(former);
  }

  /** Says which nodes have services on a domain that are neither the target's nor the administrator's; null: none. */
  async function othersOn({ domain }: Domain): Promise<string | null> {
    const ids = new Set<number>();
    for await (const { nodeId } of client.httpService.all({ query: { domain } })) ids.add(nodeId);
    for await (const { nodeId } of client.tcpService.all({ query: { domain } })) ids.add(nodeId);
    const others = nodes.filter(({ id, isLocal }) => ids.has(id) && !isLocal && id !== node.id);
    if (others.length === 0) return null;
    const names = others.map(({ name }) => JSON.stringify(name)).join(', ');
    return `services of another node are on ${domain}: ${names}. Delete them, or reserve the domain in the console, which keeps them; then import again.`;
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
