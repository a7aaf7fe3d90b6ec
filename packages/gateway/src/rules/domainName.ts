/** Names by which a machine means itself (RFC 6761); `localhost.localdomain` stands in many hosts files. */
const ITSELF = /(?:^|\.)localhost(?:\.localdomain)?$/;

/**
 * Whether a domain is a name of the gateway itself. Services without a domain are reached by such a name, so as a domain
 * of its own it would take all of them down.
 * @param hostNames the gateway's own names, in lower case
 */
export const isOwnName = (domain: string, hostNames: readonly string[]): boolean =>
  hostNames.includes(domain) || ITSELF.test(domain);

/** The names by which services without a domain are reached; the machine's own only while no domain has it. */
export const namesWithoutDomain = (names: {
  hostNames: readonly string[];
  machineName?: string | undefined;
}): string[] => [...new Set([...names.hostNames, names.machineName ?? []].flat())];

/** What is wrong with such a domain, in a sentence without its end. */
export const OWN_NAME_PROBLEM =
  "This is a name of the gateway itself, and no domain: services without a domain are reached by the gateway's own name";

/** Below it, files speak for a whole name: to certificate authorities, browsers, app stores, mail servers (RFC 8615). */
export const WELL_KNOWN = '/.well-known';

/**
 * Where a certificate authority looks whether the name belongs to anyone who asks for a certificate (methods 18 and 19 of
 * the CA/Browser Forum's Baseline Requirements).
 */
export const CERTIFICATE_PROOFS: readonly string[] = [`${WELL_KNOWN}/acme-challenge`, `${WELL_KNOWN}/pki-validation`];

/** Whether a path is at or below another one. Authorities ask in one spelling, backends may not care for the case. */
export const isAtOrBelow = (path: string, above: string): boolean =>
  `${path}/`.toLowerCase().startsWith(`${above}/`.toLowerCase());

/** Whether a service at this path would speak for the whole name. */
export const isWellKnown = (path: string): boolean => isAtOrBelow(path, WELL_KNOWN);

/** What is wrong with such a path on the gateway's own name. */
export const OWN_WELL_KNOWN = `Paths below ${WELL_KNOWN} speak for the gateway's whole name. Give the service a domain.`;

/** What of the gateway's own names is not for services where clients of Wiredoor call there. */
export const API_PATH = '/api';

/** What is wrong with such a path then. */
export const WIREDOOR_PATH_PROBLEM = `Clients of Wiredoor send their secrets to paths below ${API_PATH} of this name (SALLYPORT_WIREDOOR_CLIENTS). Choose another path, or give the service a domain.`;

/** Whether a service at this path would prove to certificate authorities whose the name is. */
export const provesControl = (path: string): boolean => CERTIFICATE_PROOFS.some((proof) => isAtOrBelow(path, proof));
