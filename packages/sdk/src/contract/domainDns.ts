import * as z from 'zod/mini';
import { described, optionalFact } from './entity.ts';

/**
 * Where the DNS leads the visitors of a domain: to the gateway; there and elsewhere; to an address of the gateway's machine
 * that only its own network reaches; elsewhere; nowhere. `no-answer`: the name servers did not say; `unknown-address`: the
 * gateway's public address is not known, so there is nothing to compare with.
 */
export const dnsState = z.enum(['here', 'partly', 'inside', 'elsewhere', 'not-found', 'no-answer', 'unknown-address']);
export type DnsState = z.output<typeof dnsState>;

/** What people are told that it is. */
export const dnsStateLabels: Record<DnsState, string> = {
  here: 'Leads here',
  partly: 'Partly elsewhere',
  inside: 'Own network only',
  elsewhere: 'Leads elsewhere',
  'not-found': 'Not found',
  'no-answer': 'No answer',
  'unknown-address': 'Unknown address',
};

/** What a domain says of its DNS, as it was found last. */
export const dnsFacts = {
  dnsState: described(
    optionalFact(dnsState),
    'Where the name led when it was looked up last; null until then. `GET /api/domains/{id}/dns` looks it up.',
  ),
  dnsCheckedAt: described(optionalFact(z.string()), 'When that was, ISO 8601, UTC.'),
};

/** A record that makes a domain lead to the gateway. */
export const dnsRecord = z.object({
  type: described(z.enum(['A', 'AAAA', 'CNAME']), 'Its type.'),
  name: described(z.string(), 'The domain.'),
  value: described(z.string(), "The gateway's address, or its name."),
});
export type DnsRecord = z.output<typeof dnsRecord>;

/** What the DNS says about a domain, and what it should say. */
export const domainDns = z.object({
  domain: described(z.string(), 'The name that was looked up.'),
  state: described(dnsState, 'Where it leads.'),
  text: described(z.string(), 'The same in sentences, with what to do.'),
  checkedAt: described(z.string(), 'When it was looked up, ISO 8601, UTC.'),
  nameServers: described(z.array(z.string()), 'The name servers that were asked, in this order until one answers.'),
  cnames: described(z.array(z.string()), 'The names that it stands for, one after the other.'),
  a: described(z.array(z.string()), 'The IPv4 addresses that were found.'),
  aaaa: described(z.array(z.string()), 'The IPv6 addresses that were found.'),
  isPrivate: described(
    z.boolean(),
    'Whether the internet leads to none of these addresses: only their own network does.',
  ),
  expectedHost: described(z.string(), 'The name or address by which visitors reach the gateway.'),
  expected: described(z.array(z.string()), 'The addresses to which the domain should lead.'),
  records: described(
    z.array(dnsRecord),
    'What to enter at the DNS provider: the CNAME record, or, where there is none and at the top of a zone, all others.',
  ),
});
export type DomainDns = z.output<typeof domainDns>;
