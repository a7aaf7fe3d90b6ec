import { domainEndpoints } from './domain.ts';
import type { Endpoint } from './endpoint.ts';
import { httpServiceEndpoints } from './httpService.ts';
import { logEndpoints } from './log.ts';
import { nodeEndpoints } from './node.ts';
import { sessionEndpoints } from './session.ts';
import { systemEndpoints } from './system.ts';
import { tcpServiceEndpoints } from './tcpService.ts';
import { tokenEndpoints } from './token.ts';

/** All of the contract but the calls of a node's own token, which the console never makes and need not load. */
export const adminContract = {
  session: sessionEndpoints,
  node: nodeEndpoints,
  domain: domainEndpoints,
  httpService: httpServiceEndpoints,
  tcpService: tcpServiceEndpoints,
  token: tokenEndpoints,
  log: logEndpoints,
  system: systemEndpoints,
} as const;

/** The endpoints of a contract with their names. */
export const endpointsOf = (contract: object): readonly { name: string; endpoint: Endpoint }[] =>
  Object.entries(contract).flatMap(([group, verbs]) =>
    Object.entries(verbs as Record<string, Endpoint>).map(([verb, endpoint]) => ({
      name: `${group}.${verb}`,
      endpoint,
    })),
  );
