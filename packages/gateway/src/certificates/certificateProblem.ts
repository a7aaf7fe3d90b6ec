import type { IssuedPair, IssueFault, IssueFaultKind } from './certificateIssuer.ts';

/** What a sentence about a certificate needs to know. */
export type CertificateFacts = {
  domain: string;
  /** The directory address of the authority. */
  authority: string;
  /** The port on which nginx serves plain HTTP. */
  httpPort: number;
  /** The pair that is served meanwhile; null: a self-signed one. */
  pair: Pick<IssuedPair, 'notAfter'> | null;
  /** Why certificates cannot be asked for on this machine; null: they can. */
  unavailable: string | null;
};

/** Where an authority asks for the proof (RFC 8555, section 8.3). */
const PROOF_PORT = 80;

/** While the authority is being asked. */
export const certificateAwaited = ({ authority }: Pick<CertificateFacts, 'authority'>): string =>
  `Its certificate is being obtained from ${authorityName(authority)}; until it is there visitors get a self-signed one.`;

/** Why there is no certificate, or no new one, what to do, and what visitors get meanwhile. */
export function certificateProblem(fault: IssueFault, facts: CertificateFacts): string {
  const { pair } = facts;
  const state =
    pair === null
      ? 'It has no certificate of its own yet, so visitors get a self-signed one'
      : `Its certificate ends on ${pair.notAfter.toISOString().slice(0, 10)} and could not be renewed`;
  return `${state}. ${reasonOf(fault, facts)} It is tried again by itself, and at once when the domain is saved.`;
}

function reasonOf({ kind, detail }: IssueFault, facts: CertificateFacts): string {
  const { domain, httpPort, unavailable } = facts;
  const name = authorityName(facts.authority);
  const words = detail === '' ? '' : ` (${detail.replace(/\.$/, '')})`;
  const forward = httpPort === PROOF_PORT ? '' : `, forwarded to port ${httpPort} of this machine`;
  const reasons: Record<IssueFaultKind, string> = {
    missing: unavailable ?? 'certbot was not installed when it was asked for.',
    dns: `${name} finds no address for ${domain}${words}. Have its DNS record lead to this gateway.`,
    unreachable: `${name} could not reach http://${domain}/${words}. Open port ${PROOF_PORT} in the firewall${forward}.`,
    elsewhere: `${name} found another server at http://${domain}/${words}. Have every DNS record of the name lead to this gateway, port ${PROOF_PORT}${forward}.`,
    caa: `The CAA record of ${domain} does not allow ${name} to issue certificates${words}. Allow it in the DNS.`,
    refused: `${name} issues no certificate for ${domain}${words}. Choose a self-signed one.`,
    limit: `${name} issues no more certificates for now${words}. Wait, or choose a self-signed one.`,
    authority: `${name} does not answer${words}. Check this machine's way to it, and SALLYPORT_ACME_URL if it is set.`,
    untrusted: `${name} is not trusted${words}. Start the gateway with REQUESTS_CA_BUNDLE naming the file of its root certificate.`,
    account: `${name} does not know this gateway's account any more${words}; the next attempt makes another.`,
    contact: `${name} does not take the contact address${words}. Correct SALLYPORT_ACME_EMAIL.`,
    disk: `The disk of the data directory is full${words}. Free some space on it.`,
    time: `${name} did not answer in time.`,
    other: `${name} could not be asked${words}. secrets/issued/certbot/logs in the data directory says more.`,
  };
  return reasons[kind];
}

/** As the console calls it, or by its host. */
function authorityName(directory: string): string {
  const host = URL.canParse(directory) ? new URL(directory).host : directory;
  if (host === 'acme-v02.api.letsencrypt.org') return "Let's Encrypt";
  return host === 'acme-staging-v02.api.letsencrypt.org' ? "Let's Encrypt (staging)" : host;
}
