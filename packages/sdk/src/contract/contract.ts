import { apiToken, apiTokenInput, createdApiToken } from './apiToken.ts';
import { bulkEndpoints, bulkInput, bulkReply, bulkResult } from './bulk.ts';
import { cliEndpoints, ownNode, wgConfig } from './cli.ts';
import { domain, domainEndpoints, domainInput, domainPatch, domainQuery } from './domain.ts';
import { domainDns } from './domainDns.ts';
import type { Endpoint } from './endpoint.ts';
import {
  allHttpServicesQuery,
  httpService,
  httpServiceEndpoints,
  httpServiceInput,
  httpServicePatch,
  httpServiceQuery,
  savedHttpService,
} from './httpService.ts';
import { createdJoinKey, joinKey, joinKeyInput, redeemInput } from './joinKey.ts';
import { logEndpoints, logQuery } from './log.ts';
import { createdNode, node, nodeEndpoints, nodeInput, nodePatch, nodeQuery } from './node.ts';
import { addressCandidate, publicAddress, publicAddressInput } from './publicAddress.ts';
import { seldomContract } from './seldom.ts';
import { enableInput } from './service.ts';
import { listedHttpService, listedTcpService, serviceEndpoints, serviceQuery } from './serviceList.ts';
import {
  certificateAuthorityInput,
  featureState,
  gatewaySettings,
  identityProviderInput,
  setting,
  settingTest,
  settingTestInput,
} from './settings.ts';
import { loginInput, me, openSession, passwordInput, session, sessionEndpoints } from './session.ts';
import { gatewayConfig, healthReport, lastBackup, systemEndpoints, unavailableFeature } from './system.ts';
import {
  allTcpServicesQuery,
  savedTcpService,
  tcpService,
  tcpServiceEndpoints,
  tcpServiceInput,
  tcpServicePatch,
  tcpServiceQuery,
} from './tcpService.ts';
import { createdToken, token, tokenEndpoints, tokenInput } from './token.ts';

export * from './apiToken.ts';
export * from './bulk.ts';
export * from './cli.ts';
export * from './domain.ts';
export * from './domainDns.ts';
export * from './httpService.ts';
export * from './joinKey.ts';
export * from './log.ts';
export * from './node.ts';
export * from './notes.ts';
export * from './publicAddress.ts';
export * from './rights.ts';
export * from './seldom.ts';
export * from './service.ts';
export * from './serviceList.ts';
export * from './session.ts';
export * from './settings.ts';
export * from './system.ts';
export * from './tcpService.ts';
export * from './token.ts';

/**
 * All of the contract but the calls of a node's own token, which the console never makes and need not load, and those that it
 * loads where it needs them.
 */
export const adminContract = {
  session: sessionEndpoints,
  node: nodeEndpoints,
  domain: domainEndpoints,
  service: serviceEndpoints,
  httpService: httpServiceEndpoints,
  tcpService: tcpServiceEndpoints,
  token: tokenEndpoints,
  log: logEndpoints,
  system: systemEndpoints,
} as const;

export type Contract = typeof adminContract &
  typeof seldomContract & {
    readonly bulk: typeof bulkEndpoints;
    readonly cli: typeof cliEndpoints;
  };

/**
 * The whole interface of a gateway. The client's methods, the query keys, the gateway's routes and handlers, the OpenAPI
 * document and `docs/api.md` all derive from this object; nothing restates it.
 */
// Pure, so that the console is built without those.
export const contract: Contract = /* @__PURE__ */ Object.assign({}, adminContract, seldomContract, {
  bulk: bulkEndpoints,
  cli: cliEndpoints,
});

/** `node`, `domain`, … */
export type Group = keyof Contract;

/** What documents call a group, and what it is about. */
export const groupTexts: Record<Group, { title: string; about: string }> = {
  session: { title: 'Sessions', about: 'Signing in and out, and the password.' },
  node: { title: 'Nodes', about: 'Nodes: the hosts that have a tunnel to the gateway.' },
  domain: { title: 'Domains', about: 'Domain names.' },
  service: { title: 'Services', about: 'Services of both kinds.' },
  httpService: { title: 'HTTP services', about: 'HTTP services.' },
  tcpService: { title: 'TCP services', about: 'TCP and UDP services.' },
  token: { title: 'Access tokens', about: 'Access tokens of nodes.' },
  joinKey: { title: 'Join keys', about: 'Join keys, by which hosts join without a password.' },
  apiToken: { title: 'API tokens', about: "Tokens for programs, with a part of the administrator's rights." },
  log: { title: 'Logs', about: 'Lines of the access log.' },
  publicAddress: {
    title: 'Public address',
    about: 'The name or address by which hosts and visitors are told to reach the gateway.',
  },
  settings: { title: 'Settings', about: 'The settings of the gateway and its features.' },
  system: { title: 'The gateway', about: 'The gateway itself.' },
  bulk: { title: 'Many at once', about: 'Changes of many objects in one call.' },
  cli: { title: "A node's own calls", about: "The calls of a node's own access token: each acts on that node alone." },
};

/** The replies that have a name of their own in the documents; the others are written where they are used. */
export const namedReplies = {
  Session: { schema: session, text: 'A session: the bearer token and how long it lives.' },
  Me: { schema: me, text: 'Whom a token belongs to: the administrator, or a node.' },
  OpenSession: { schema: openSession, text: 'A session that lasts.' },
  Node: {
    schema: node,
    text: "A client node, a gateway to a subnet, or the local node (the gateway's own machine, id 1).",
  },
  CreatedNode: { schema: createdNode, text: 'A node as its creation answers it.' },
  Domain: { schema: domain, text: 'A public domain name that the gateway answers for.' },
  DomainDns: { schema: domainDns, text: 'What the DNS says about a domain, and what it should say.' },
  HttpService: { schema: httpService, text: 'A web server on a node, made public under a domain and a path.' },
  SavedHttpService: { schema: savedHttpService, text: 'An HTTP service as a write answers it.' },
  TcpService: { schema: tcpService, text: 'A TCP or UDP port of a node, made public under a port of the gateway.' },
  SavedTcpService: { schema: savedTcpService, text: 'A TCP or UDP service as a write answers it.' },
  ListedHttpService: { schema: listedHttpService, text: 'An HTTP service in the list of all services.' },
  ListedTcpService: { schema: listedTcpService, text: 'A TCP or UDP service in the list of all services.' },
  BulkResult: { schema: bulkResult, text: 'What became of one of many services.' },
  BulkReply: { schema: bulkReply, text: 'What became of each of many services.' },
  Token: { schema: token, text: "A node's access token. The secret itself is never listed." },
  CreatedToken: { schema: createdToken, text: 'An access token as its creation answers it.' },
  JoinKey: { schema: joinKey, text: 'A join key. The code itself is never listed.' },
  CreatedJoinKey: { schema: createdJoinKey, text: 'A join key as its creation answers it.' },
  ApiToken: { schema: apiToken, text: "A token for programs, with a part of the administrator's rights." },
  CreatedApiToken: { schema: createdApiToken, text: 'An API token as its creation answers it.' },
  OwnNode: { schema: ownNode, text: 'The node that the token belongs to, with everything that it exposes.' },
  WgConfig: { schema: wgConfig, text: "The WireGuard configuration of the token's node, in parts." },
  PublicAddress: {
    schema: publicAddress,
    text: 'By which name or address others are told to reach the gateway, and why.',
  },
  AddressCandidate: {
    schema: addressCandidate,
    text: "A name or address by which others may reach the gateway's machine.",
  },
  GatewayConfig: { schema: gatewayConfig, text: 'Settings that clients need.' },
  UnavailableFeature: {
    schema: unavailableFeature,
    text: 'A feature that the gateway does not have at the moment, why, and what helps.',
  },
  GatewaySettings: { schema: gatewaySettings, text: 'The settings of the gateway, without secrets, and its features.' },
  Setting: { schema: setting, text: 'A setting as it counts now.' },
  FeatureState: { schema: featureState, text: 'Whether a feature runs; otherwise why not, and how to turn it on.' },
  SettingTest: { schema: settingTest, text: 'What came of a test of an identity provider or a certificate authority.' },
  LastBackup: { schema: lastBackup, text: 'The backup that was made last.' },
  HealthReport: { schema: healthReport, text: 'What a monitor asks for.' },
} as const;

/** The bodies and queries that do. */
export const namedInputs = {
  LoginInput: { schema: loginInput, text: 'What an administrator signs in with.' },
  PasswordInput: { schema: passwordInput, text: 'Another password for the administrator.' },
  NodeQuery: { schema: nodeQuery, text: 'Which nodes.' },
  NodeInput: { schema: nodeInput, text: 'A new node.' },
  NodePatch: { schema: nodePatch, text: 'A change of a node: what is left out stays as it is.' },
  DomainQuery: { schema: domainQuery, text: 'Which domains.' },
  DomainInput: { schema: domainInput, text: 'A new domain.' },
  DomainPatch: { schema: domainPatch, text: 'A change of a domain: what is left out stays as it is.' },
  ServiceQuery: { schema: serviceQuery, text: 'Which services of both kinds.' },
  HttpServiceQuery: { schema: httpServiceQuery, text: 'Which HTTP services of a node.' },
  AllHttpServicesQuery: { schema: allHttpServicesQuery, text: 'Which HTTP services of all nodes.' },
  HttpServiceInput: { schema: httpServiceInput, text: 'A new HTTP service: reached by a domain, a path, or both.' },
  HttpServicePatch: { schema: httpServicePatch, text: 'A change of an HTTP service: what is left out stays as it is.' },
  TcpServiceQuery: { schema: tcpServiceQuery, text: 'Which TCP and UDP services of a node.' },
  AllTcpServicesQuery: { schema: allTcpServicesQuery, text: 'Which TCP and UDP services of all nodes.' },
  TcpServiceInput: { schema: tcpServiceInput, text: 'A new TCP or UDP service.' },
  TcpServicePatch: { schema: tcpServicePatch, text: 'A change of a TCP or UDP service: what is left out stays.' },
  BulkInput: { schema: bulkInput, text: 'What is done to which services.' },
  EnableInput: { schema: enableInput, text: 'How long a service stays open.' },
  TokenInput: { schema: tokenInput, text: 'A new access token.' },
  JoinKeyInput: { schema: joinKeyInput, text: 'A new join key.' },
  RedeemInput: { schema: redeemInput, text: 'What a host says when it joins.' },
  ApiTokenInput: { schema: apiTokenInput, text: 'A new API token.' },
  PublicAddressInput: { schema: publicAddressInput, text: 'Another public address.' },
  SettingTestInput: { schema: settingTestInput, text: 'What is to be tried.' },
  IdentityProviderInput: {
    schema: identityProviderInput,
    text: 'A change of the identity provider: what is left out stays.',
  },
  CertificateAuthorityInput: {
    schema: certificateAuthorityInput,
    text: 'A change of the certificate authority: what is left out stays.',
  },
  LogQuery: { schema: logQuery, text: "Whose lines: a domain's, or one service's." },
} as const;

/** `node.list`, `domain.create`, … */
export type EndpointName = { [G in Group]: `${G}.${keyof Contract[G] & string}` }[Group];

/** The endpoint that a name stands for. */
export type EndpointNamed<N extends EndpointName> = N extends `${infer G extends Group}.${infer V}`
  ? V extends keyof Contract[G]
    ? Contract[G][V]
    : never
  : never;

/** The endpoints of a contract with their names. */
export const endpointsOf = (groups: object): readonly { name: string; endpoint: Endpoint }[] =>
  Object.entries(groups).flatMap(([group, verbs]) =>
    Object.entries(verbs as Record<string, Endpoint>).map(([verb, endpoint]) => ({
      name: `${group}.${verb}`,
      endpoint,
    })),
  );

/** Every endpoint with its name, in the contract's order. */
export const endpoints = /* @__PURE__ */ endpointsOf(contract) as readonly { name: EndpointName; endpoint: Endpoint }[];

/** The name of what pages through a list: `all` for `list` and `listAll`, `allHttp` for `listHttp`; null: nothing does. */
export function pagerOf(group: string, verb: string, endpoint: Endpoint): string | null {
  if (endpoint.kind !== 'call' || endpoint.paged !== true) return null;
  if (verb === 'listAll') return 'all';
  // The list over all nodes takes a node as well.
  return verb === 'list' && 'listAll' in contract[group as Group] ? null : verb.replace('list', 'all');
}
