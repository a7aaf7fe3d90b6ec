import { adminContract, endpointsOf } from './adminContract.ts';
import { cliEndpoints } from './cli.ts';
import type { Endpoint } from './endpoint.ts';

const { system, ...others } = adminContract;

/**
 * The whole interface of a gateway. The client's methods, the query keys, the gateway's routes and handlers, the OpenAPI
 * document and `docs/api.md` all derive from this object; nothing restates it.
 */
export const contract = { ...others, cli: cliEndpoints, system } as const;
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
export const endpoints = endpointsOf(contract) as readonly { name: EndpointName; endpoint: Endpoint }[];
