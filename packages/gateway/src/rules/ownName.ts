/** Names by which a machine means itself (RFC 6761); `localhost.localdomain` stands in many hosts files. */
const ITSELF = /(?:^|\.)localhost(?:\.localdomain)?$/;

/**
 * Whether a domain is a name of the gateway itself. Services without a domain are reached by such a name, so as a domain
 * of its own it would take all of them down.
 * @param hostNames the gateway's own names, in lower case
 */
export const isOwnName = (domain: string, hostNames: readonly string[]): boolean =>
  hostNames.includes(domain) || ITSELF.test(domain);

/** What is wrong with such a domain, in a sentence without its end. */
export const OWN_NAME_PROBLEM =
  "This is a name of the gateway itself, and no domain: services without a domain are reached by the gateway's own name";
