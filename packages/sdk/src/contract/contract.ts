import { cliEndpoints } from './cli.ts';
import { domainEndpoints } from './domain.ts';
import type { Endpoint } from './endpoint.ts';
import { httpServiceEndpoints } from './httpService.ts';
import { logEndpoints } from './log.ts';
import { nodeEndpoints } from './node.ts';
import { sessionEndpoints } from './session.ts';
import { systemEndpoints } from './system.ts';
import { tcpServiceEndpoints } from './tcpService.ts';
import { tokenEndpoints } from './token.ts';

/**
 * The whole interface of a gateway. The client's methods, the query keys, the gateway's routes and handlers, the OpenAPI
 * document and `docs/api.md` all derive from this object; nothing restates it.
 */
export const contract = {
  session: sessionEndpoints,
  node: nodeEndpoints,
  domain: domainEndpoints,
  httpService: httpServiceEndpoints,
  tcpService: tcpServiceEndpoints,
  token: tokenEndpoints,
  log: logEndpoints,
  cli: cliEndpoints,
  system: systemEndpoints,
} as const;
export type Contract = typeof contract;

/** `node`, `domain`, … */
export type Group = keyof Contract;

/** `node.list`, `domain.create`, … */
export type EndpointName = { [G in Group]: `${G}.${keyof Contract[G] & string}` }[Group];

/** The endpoint that a name stands for. */
export type EndpointNamed<N extends EndpointName> = N extends `${infer G extends Group}.${infer V}`
  ? V extends keyof Contract[G]
    ? Contract[G][V]
    : never
  : never;

/** Every endpoint with its name, in the contract's order. */
export const endpoints: readonly { name: EndpointName; endpoint: Endpoint }[] = Object.entries(contract).flatMap(
  ([group, verbs]) =>
    Object.entries(verbs as Record<string, Endpoint>).map(([verb, endpoint]) => ({
      name: `${group}.${verb}` as EndpointName,
      endpoint,
    })),
);
