// Written by `pnpm generate` from the contract in packages/sdk/src/contract; do not edit.
import type { Page } from '../contract/paging.ts';
import type { Download } from './download.ts';
import type { EventStream, WatchOptions } from './stream.ts';
import type { Call, CallOptions } from './transport.ts';

/** A session: the bearer token and how long it lives. */
export interface Session {
  /** The bearer token, shown this once. */
  token: string;
  /** How long it lives, in seconds. */
  expires_in?: number | undefined;
  /** The same as a text like `12h`. */
  expiresIn?: string | number | undefined;
}

/** Whom a token belongs to: the administrator, or a node. */
export interface Me {
  /** Of a node or a program: the id of its token. */
  id: number;
  /** `client` is a node, `api` a program with an API token. */
  type: 'admin' | 'client' | 'api';
  /** The administrator's name, or the token's. */
  name?: string | undefined;
  /** When the token ends, in seconds since 1970. */
  exp?: number | undefined;
  /** What an API token may do. */
  scope?:
    | (
        | 'nodes:read'
        | 'nodes:write'
        | 'domains:read'
        | 'domains:write'
        | 'services:read'
        | 'services:write'
        | 'tokens:read'
        | 'tokens:write'
        | 'logs:read'
      )[]
    | undefined;
  /** The nodes that an API token is limited to; left out: none. */
  nodes?: number[] | undefined;
}

/** A session that lasts. */
export interface OpenSession {
  /** Number of the session, 1 and up. */
  id: number;
  /** When the administrator signed in, ISO 8601, UTC. */
  created_at: string;
  /** When it was last used, to the minute. */
  lastUsedAt: string | null;
  /** When it ends by itself. */
  expiresAt: string;
  /** From which address it was last used; null: not known. */
  address: string | null;
  /** It works with a key of the browser alone. */
  isBrowser: boolean;
  /** It is the one that asks. */
  isOwn: boolean;
}

/** A client node, a gateway to a subnet, or the local node (the gateway's own machine, id 1). */
export interface Node {
  /** Number of the row, 1 and up. */
  id: number;
  /** Grows with every change; send it as `If-Match` to refuse a stale write (412). */
  version: number;
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  /** What it is called. */
  name: string;
  /** IPv4 within the VPN, without CIDR. */
  address: string;
  /** DNS servers that the node uses while connected, with a comma or a space between them. */
  dns: string | null;
  /** Seconds between keep-alive packets; 0: none. */
  keepalive: number;
  /** Send all internet traffic through the VPN. */
  allowInternet: boolean;
  /** It is a gateway: the subnets behind it are reached through it. */
  isGateway: boolean;
  /** The subnets behind a gateway, each with the interface to it. */
  gatewayNetworks:
    | {
        /** The interface by which the node reaches it. */
        interface: string;
        /** As CIDR. */
        subnet: string;
      }[]
    | null;
  /** The DNS server that the gateway asks for the names of backends behind a gateway, an address of its subnets; null: the node itself. */
  resolver: string | null;
  /** Its access tokens may use every domain, also those of the administrator. */
  allowAnyDomain: boolean;
  /** Networks that its access tokens may put behind it although they are not private, or a large part of a private range. */
  allowedNetworks: string[] | null;
  /** Tags to find it by: at most 100, each at most 40 characters, no commas. */
  tags: string[];
  /** What there is to know about it: plain text, several lines. */
  notes: string | null;
  /** The form shows its advanced fields. */
  advanced: boolean;
  /** The first of `gatewayNetworks`, as CIDR. */
  gatewayNetwork: string | null;
  /** It is the gateway's own machine. */
  isLocal: boolean;
  /** It may connect, and its services are open. */
  enabled: boolean;
  /** `idle`: the tunnel was up lately, but nothing arrives. */
  status: 'online' | 'idle' | 'offline';
  /** Where the tunnel comes from. */
  clientIp: string | null;
  /** Milliseconds since 1970. */
  latestHandshakeTimestamp: number | null;
  /** Bytes received from the node. */
  transferRx: number | null;
  /** Bytes sent to the node. */
  transferTx: number | null;
  /** Why it cannot be served as saved, in a sentence; null when all is well. */
  problem: string | null;
}

/** A node as its creation answers it. */
export interface CreatedNode extends Node {
  /** The secret of its access token, shown this once. */
  token: string;
}

/** A public domain name that the gateway answers for. */
export interface Domain {
  /** Number of the row, 1 and up. */
  id: number;
  /** Grows with every change; send it as `If-Match` to refuse a stale write (412). */
  version: number;
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  /** Its name. */
  domain: string;
  /** Where its certificate comes from. */
  ssl: 'self-signed' | 'certbot';
  /** Do not check that the name points to this gateway. */
  skipValidation: boolean;
  /** Visitors may be asked to sign in (OAuth2). */
  authentication: boolean;
  /** Of those who sign in, only these e-mail addresses are let in; none: everybody. */
  allowedEmails: string[] | null;
  /** Tell browsers to come by HTTPS alone (HSTS), for as long as the domain has a trusted certificate. */
  hsts: boolean;
  /** It is the administrator's: access tokens of nodes may use it only where `allowedNodes`, or the node, says so. */
  reserved: boolean;
  /** The nodes, by id, whose access tokens may use it for services of theirs. */
  allowedNodes: number[] | null;
  /** Tags to find it by: at most 100, each at most 40 characters, no commas. */
  tags: string[];
  /** What there is to know about it: plain text, several lines. */
  notes: string | null;
  /** Why it cannot be served as saved, in a sentence; null when all is well. */
  problem: string | null;
  /** Where visitors reach it, with the port unless that is 443. */
  publicAccess: string | null;
  /** What is on its way, and what visitors get meanwhile, in a sentence; null when nothing is. */
  pending: string | null;
  /** When its certificate ends, ISO 8601, UTC; it is replaced in time by itself. Null while there is none of the kind that is wanted. */
  certificateEndsAt: string | null;
  /** Where the name led when it was looked up last; null until then. `GET /api/domains/{id}/dns` looks it up. */
  dnsState: 'here' | 'partly' | 'inside' | 'elsewhere' | 'not-found' | 'no-answer' | 'unknown-address' | null;
  /** When that was, ISO 8601, UTC. */
  dnsCheckedAt: string | null;
}

/** What the DNS says about a domain, and what it should say. */
export interface DomainDns {
  /** The name that was looked up. */
  domain: string;
  /** Where it leads. */
  state: 'here' | 'partly' | 'inside' | 'elsewhere' | 'not-found' | 'no-answer' | 'unknown-address';
  /** The same in sentences, with what to do. */
  text: string;
  /** When it was looked up, ISO 8601, UTC. */
  checkedAt: string;
  /** The name servers that were asked, in this order until one answers. */
  nameServers: string[];
  /** The names that it stands for, one after the other. */
  cnames: string[];
  /** The IPv4 addresses that were found. */
  a: string[];
  /** The IPv6 addresses that were found. */
  aaaa: string[];
  /** Whether the internet leads to none of these addresses: only their own network does. */
  isPrivate: boolean;
  /** The name or address by which visitors reach the gateway. */
  expectedHost: string;
  /** The addresses to which the domain should lead. */
  expected: string[];
  /** What to enter at the DNS provider: the CNAME record, or, where there is none and at the top of a zone, all others. */
  records: {
    /** Its type. */
    type: 'A' | 'AAAA' | 'CNAME';
    /** The domain. */
    name: string;
    /** The gateway's address, or its name. */
    value: string;
  }[];
}

/** A web server on a node, made public under a domain and a path. */
export interface HttpService {
  /** Number of the row, 1 and up. */
  id: number;
  /** Grows with every change; send it as `If-Match` to refuse a stale write (412). */
  version: number;
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  /** The node that it is on. */
  nodeId: number;
  /** What it is called. */
  name: string;
  /** The public domain; none: the gateway's own name. */
  domain: string | null;
  /** The backend's host behind a gateway; none for a plain node, which is its own backend. */
  backendHost: string | null;
  /** Only these addresses and networks may come in; none: everybody. */
  allowedIps: string[] | null;
  /** These addresses and networks may not; a block wins. */
  blockedIps: string[] | null;
  /** Tags to find it by: at most 100, each at most 40 characters, no commas. */
  tags: string[];
  /** What there is to know about it: plain text, several lines. */
  notes: string | null;
  /** The public path; begins with `/`. */
  pathLocation: string;
  /** How the backend is spoken to. */
  backendProto: 'http' | 'https';
  /** The port of the backend. */
  backendPort: number;
  /** Visitors must sign in (the domain has OAuth2 authentication). */
  requireAuth: boolean;
  /** Paths below the service that visitors may see without signing in, one a line: a path, or ^ and a pattern. */
  skipAuthRoutes: string | null;
  /** It is open to visitors. */
  enabled: boolean;
  /** When the service closes by itself, ISO 8601. */
  expiresAt: string | null;
  /** When it was closed, ISO 8601; null while it is open, and where that was not recorded. */
  closedAt: string | null;
  /** What closed it: an administrator, the access token of its node, or its time to live. */
  closedBy: 'administrator' | 'node' | 'time-limit' | null;
  /** Where visitors reach it, as a URL. */
  publicAccess: string;
  /** Whether the backend answers, asked every 30 seconds and after each change; a node without a tunnel counts as down. Unknown while disabled, and for UDP. */
  health: 'unknown' | 'up' | 'down';
  /** Why the backend counts as down, in a sentence. */
  healthReason: string | null;
  /** Why it cannot be served as saved, in a sentence; null when all is well. */
  problem: string | null;
  /** Visitors reach it over HTTPS. */
  ssl: boolean;
  /** The gateway's own console: its host, path, protocol and port are locked. */
  builtin: boolean;
}

/** An HTTP service as a write answers it. */
export interface SavedHttpService extends HttpService {
  /** The domain was unknown and has been added, self-signed and without validation. */
  domainCreated: boolean;
  /** The domain that was given is the gateway's own name, which means no domain. */
  domainIsOwnName: boolean;
}

/** A TCP or UDP port of a node, made public under a port of the gateway. */
export interface TcpService {
  /** Number of the row, 1 and up. */
  id: number;
  /** Grows with every change; send it as `If-Match` to refuse a stale write (412). */
  version: number;
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  /** The node that it is on. */
  nodeId: number;
  /** What it is called. */
  name: string;
  /** The public domain; none: the gateway's own name. */
  domain: string | null;
  /** The backend's host behind a gateway; none for a plain node, which is its own backend. */
  backendHost: string | null;
  /** Only these addresses and networks may come in; none: everybody. */
  allowedIps: string[] | null;
  /** These addresses and networks may not; a block wins. */
  blockedIps: string[] | null;
  /** Tags to find it by: at most 100, each at most 40 characters, no commas. */
  tags: string[];
  /** What there is to know about it: plain text, several lines. */
  notes: string | null;
  /** The transport. */
  proto: 'tcp' | 'udp';
  /** The port of the backend. */
  backendPort: number;
  /** The gateway terminates TLS. */
  ssl: boolean;
  /** The public port. */
  port: number;
  /** It is open to visitors. */
  enabled: boolean;
  /** When the service closes by itself, ISO 8601. */
  expiresAt: string | null;
  /** When it was closed, ISO 8601; null while it is open, and where that was not recorded. */
  closedAt: string | null;
  /** What closed it: an administrator, the access token of its node, or its time to live. */
  closedBy: 'administrator' | 'node' | 'time-limit' | null;
  /** Where visitors reach it, as a URL. */
  publicAccess: string;
  /** Whether the backend answers, asked every 30 seconds and after each change; a node without a tunnel counts as down. Unknown while disabled, and for UDP. */
  health: 'unknown' | 'up' | 'down';
  /** Why the backend counts as down, in a sentence. */
  healthReason: string | null;
  /** Why it cannot be served as saved, in a sentence; null when all is well. */
  problem: string | null;
}

/** A TCP or UDP service as a write answers it. */
export interface SavedTcpService extends TcpService {
  /** The domain was unknown and has been added, self-signed and without validation. */
  domainCreated: boolean;
  /** The domain that was given is the gateway's own name, which means no domain. */
  domainIsOwnName: boolean;
}

/** An HTTP service in the list of all services. */
export interface ListedHttpService extends HttpService {
  /** The kind of the service. */
  type: 'http';
  /** What its node is called. */
  nodeName: string;
  /** Its node's address, which is the backend where it names no other. */
  nodeAddress: string;
  /** When its last request or connection ended, ISO 8601; null when its log has none. */
  lastRequestAt: string | null;
}

/** A TCP or UDP service in the list of all services. */
export interface ListedTcpService extends TcpService {
  /** The kind of the service. */
  type: 'tcp';
  /** What its node is called. */
  nodeName: string;
  /** Its node's address, which is the backend where it names no other. */
  nodeAddress: string;
  /** When its last request or connection ended, ISO 8601; null when its log has none. */
  lastRequestAt: string | null;
}

/** What became of one of many services. */
export interface BulkResult {
  /** The kind of the service. */
  type: 'http' | 'tcp';
  /** The number of the service. */
  id: number;
  /** As the call about this service alone would have answered it: 200, or 400, 404, 412, 422. */
  status: number;
  /** Why it was refused and is as before, in a sentence; null: it was done. */
  message: string | null;
  /** Its version by now; null when it was refused or deleted. */
  version: number | null;
  /** Why it cannot be served as saved, in a sentence; null when all is well. */
  problem: string | null;
}

/** What became of each of many services. */
export interface BulkReply {
  /** What became of each service, in the order of the items. */
  results: BulkResult[];
}

/** A node's access token. The secret itself is never listed. */
export interface Token {
  /** Number of the row, 1 and up. */
  id: number;
  /** Grows with every change; send it as `If-Match` to refuse a stale write (412). */
  version: number;
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  /** The node that it is for. */
  nodeId: number;
  /** What it is called. */
  name: string;
  /** ISO 8601; null: never. */
  expireAt: string | null;
  /** It is refused. */
  revoked: boolean;
  /** ISO 8601; null: never used. */
  lastUsedAt: string | null;
}

/** An access token as its creation answers it. */
export interface CreatedToken extends Token {
  /** The secret, shown this once. */
  token: string;
}

/** A join key. The code itself is never listed. */
export interface JoinKey {
  /** Number of the row, 1 and up. */
  id: number;
  /** Grows with every change; send it as `If-Match` to refuse a stale write (412). */
  version: number;
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  /** What it is called; so are the access tokens that come of it. */
  name: string;
  /** The node that a host becomes with it; null: a new one. */
  nodeId: number | null;
  /** Any number of hosts may join with it, each as a node of its own. */
  reusable: boolean;
  /** What the name of a new node must be like; `*` stands for any letters, as in `web-*`. */
  namePattern: string | null;
  /** The new node is a gateway: the host says which subnet is behind it, a private one. */
  isGateway: boolean;
  /** ISO 8601; a day from now when it is left out. */
  expireAt: string;
  /** What the node is called that a host becomes with it; null: a new one. */
  nodeName: string | null;
  /** How many hosts have joined with it. */
  uses: number;
  /** ISO 8601; null: never used. */
  lastUsedAt: string | null;
}

/** A join key as its creation answers it. */
export interface CreatedJoinKey extends JoinKey {
  /** What the host is asked for, shown this once. */
  code: string;
  /** The line that a host runs to join. It has no secret in it: it asks for the code, or reads it from the file that `SALLYPORT_CODE_FILE` names. Null: the public address is one by which each host means itself. */
  command: string | null;
}

/** A token for programs, with a part of the administrator's rights. */
export interface ApiToken {
  /** Number of the row, 1 and up. */
  id: number;
  /** Grows with every change; send it as `If-Match` to refuse a stale write (412). */
  version: number;
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  /** What it is called. */
  name: string;
  /** What it may do: for each kind of object, `read` or `write`, which includes `read`. */
  scope: (
    | 'nodes:read'
    | 'nodes:write'
    | 'domains:read'
    | 'domains:write'
    | 'services:read'
    | 'services:write'
    | 'tokens:read'
    | 'tokens:write'
    | 'logs:read'
  )[];
  /** The nodes, by id, that it is limited to; all when left out. Such a token has no rights for domains. */
  nodes: number[] | null;
  /** ISO 8601; null: never. */
  expireAt: string | null;
  /** The beginning of the secret, by which it is recognised. */
  prefix: string;
  /** ISO 8601; null: never used. */
  lastUsedAt: string | null;
}

/** An API token as its creation answers it. */
export interface CreatedApiToken extends ApiToken {
  /** The secret, shown this once. */
  token: string;
}

/** The node that the token belongs to, with everything that it exposes. */
export interface OwnNode extends Node {
  /** Its HTTP services. */
  httpServices: HttpService[];
  /** Its TCP and UDP services. */
  tcpServices: TcpService[];
}

/** The WireGuard configuration of the token's node, in parts. */
export interface WgConfig {
  /** The node's private key, base64. */
  privateKey: string;
  /** The node's address in the tunnel, as CIDR. */
  address: string;
  /** DNS servers to use while connected. */
  dns?: string | undefined;
  /** The largest packet in bytes. */
  mtu?: number | undefined;
  /** Commands once the tunnel is up. */
  postUp: string[];
  /** Commands once it is down. */
  postDown: string[];
  /** The gateway's own address in the tunnel. */
  gatewayAddress?: string | undefined;
  /** The gateway, as the node sees it. */
  peer: {
    /** The gateway's public key, base64. */
    publicKey: string;
    /** The secret that both share, base64. */
    preSharedKey: string;
    /** What goes through the tunnel, as CIDR. */
    allowedIPs: string | string[];
    /** Seconds between keep-alive packets; 0: none. */
    persistentKeepalive: number;
    /** Where the gateway is reached. */
    endpoint: {
      /** `HOST:PORT`. */
      url: string;
      /** A name or an address. */
      host: string;
      /** The UDP port. */
      port: string | number;
    };
  };
}

/** By which name or address others are told to reach the gateway, and why. */
export interface PublicAddress {
  /** What counts since the start of the gateway. */
  host: string;
  /** `environment`: `SALLYPORT_VPN_HOST` says it; `setting`: it was chosen at the first start or here; `machine`: no one chose it, so it is the name of the machine. */
  source: 'environment' | 'setting' | 'machine';
  /** What counts from the next start on; null: the same. */
  next: string | null;
  /** Why it cannot be changed here, in a sentence; null: it can. */
  problem: string | null;
  /** What speaks against `next`, or else `host`, in sentences. */
  warnings: string[];
  /** What is known of whether it leads here, in sentences. Nothing is tried from outside of the machine. */
  facts: string[];
  /** When a node was last heard through the tunnel, ISO 8601, UTC; null: never. */
  lastHandshakeAt: string | null;
  /** What this machine knows itself by, the most likely first. */
  candidates: AddressCandidate[];
}

/** A name or address by which others may reach the gateway's machine. */
export interface AddressCandidate {
  /** The name or address. */
  host: string;
  /** What it is, like `the address of eth0`. */
  what: string;
}

/** Settings that clients need. */
export interface GatewayConfig {
  /** The name or address by which visitors and nodes reach the gateway. */
  VPN_HOST: string;
  /** Where other machines reach the console and this interface; null where no such address is known. */
  CONSOLE_URL: string | null;
  /** The port at which visitors reach HTTP services. */
  PUBLIC_HTTPS_PORT?: number | undefined;
  /** `FROM-TO`. */
  TCP_SERVICES_PORT_RANGE?: string | undefined;
  /** What does not run on this gateway, and how to turn it on. */
  unavailable: UnavailableFeature[];
}

/** A feature that the gateway does not have at the moment, why, and what helps. */
export interface UnavailableFeature {
  /** Which one. */
  feature:
    | 'ingress'
    | 'tcpServices'
    | 'tunnel'
    | 'internetThroughVpn'
    | 'publicName'
    | 'letsEncrypt'
    | 'visitorSignIn'
    | 'endingConnections'
    | 'olderLogLines';
  /** Why, in a sentence. */
  reason: string;
  /** The command or the setting that turns it on. */
  fix: string;
  /** True: it is so by choice, because it was turned off, or is optional and not set up. */
  chosen?: boolean | undefined;
}

/** The settings of the gateway, without secrets, and its features. */
export interface GatewaySettings {
  /** The version of the gateway. */
  version: string;
  /** The settings, without secrets. */
  settings: Setting[];
  /** Every feature that can be missing. */
  features: FeatureState[];
}

/** A setting as it counts now. */
export interface Setting {
  /** The environment variable that says it. */
  name:
    | 'SALLYPORT_VPN_HOST'
    | 'SALLYPORT_HOST_NAMES'
    | 'SALLYPORT_HTTP_PORT'
    | 'SALLYPORT_HTTPS_PORT'
    | 'SALLYPORT_PUBLIC_HTTPS_PORT'
    | 'SALLYPORT_CONSOLE_PORT'
    | 'SALLYPORT_LISTEN'
    | 'SALLYPORT_TCP_PORTS'
    | 'SALLYPORT_TRUSTED_PROXIES'
    | 'SALLYPORT_DNS_SERVERS'
    | 'SALLYPORT_DATA'
    | 'SALLYPORT_LOG_LEVEL'
    | 'SALLYPORT_TUNNEL'
    | 'SALLYPORT_VPN_PORT'
    | 'SALLYPORT_VPN_SUBNET'
    | 'SALLYPORT_VPN_INTERFACE'
    | 'SALLYPORT_WIREDOOR_CLIENTS'
    | 'SALLYPORT_ACME_URL'
    | 'SALLYPORT_ACME_EMAIL'
    | 'SALLYPORT_OIDC_ISSUER'
    | 'SALLYPORT_OIDC_CLIENT_ID'
    | 'SALLYPORT_OIDC_CLIENT_SECRET'
    | 'SALLYPORT_NODE_SERVICES'
    | 'SALLYPORT_NODE_PORTS'
    | 'SALLYPORT_NODE_LIST_ENTRIES'
    | 'SALLYPORT_LOG_HISTORY_MB'
    | 'SALLYPORT_ADMIN_USER';
  /** As the variable would say it; null: none. Of a secret only that there is one: `set`. */
  value: string | null;
  /** `environment`: a variable says it, and only there it can be changed; `stored`: it was chosen at the first start or later; `default`: nobody chose it. */
  source: 'environment' | 'stored' | 'default';
  /** Whether it can be changed while the gateway runs. */
  changeable: boolean;
}

/** Whether a feature runs; otherwise why not, and how to turn it on. */
export interface FeatureState {
  /** Which one. */
  feature:
    | 'ingress'
    | 'tcpServices'
    | 'tunnel'
    | 'internetThroughVpn'
    | 'publicName'
    | 'letsEncrypt'
    | 'visitorSignIn'
    | 'endingConnections'
    | 'olderLogLines';
  /** `off`: by choice, because it was turned off or is optional and not set up; `unavailable`: it should run, and does not. */
  state: 'on' | 'off' | 'unavailable';
  /** Why it does not run, in a sentence; null: it runs. */
  reason: string | null;
  /** The command or the setting that turns it on; null: it runs. */
  fix: string | null;
}

/** What came of a test of an identity provider or a certificate authority. */
export interface SettingTest {
  /** Whether it answered as it should. */
  works: boolean;
  /** What it answered, or what is wrong and what to do, in sentences. */
  text: string;
}

/** The backup that was made last. */
export interface LastBackup {
  /** When, ISO 8601, UTC. */
  at: string;
  /** Where on the gateway's machine; null: it went to standard output. */
  file: string | null;
  /** Whether it is time for another: after three days where its name says that it is one of many, such as those of the nightly timer, else after a week. */
  isOld: boolean;
}

/** What a monitor asks for. */
export interface HealthReport {
  /** `ok` while all that follows works. */
  status: 'ok' | 'degraded';
  /** Whether nginx serves visitors. */
  ingress: 'up' | 'down';
  /** `off`: this gateway has none; `down`: it should work, and does not. */
  tunnel: 'up' | 'off' | 'down';
  /** `down`: it was deleted or replaced while the gateway was using it. */
  database: 'up' | 'down';
  /** Number of the configuration that nginx serves. */
  generation: number;
}

/** What an administrator signs in with. */
export interface LoginInput {
  /** The administrator's name. */
  username: string;
  /** The administrator's password. */
  password: string;
  /** Makes a token that works only with proofs of its private half. */
  publicKey?:
    | {
        /** The kind of key. */
        kty: 'EC';
        /** The curve. */
        crv: 'P-256';
        /** A coordinate of the point, base64url. */
        x: string;
        /** The other coordinate, base64url. */
        y: string;
      }
    | undefined;
}

/** Another password for the administrator. */
export interface PasswordInput {
  /** The password that is used now. */
  currentPassword: string;
  /** The password from now on. */
  newPassword: string;
}

/** Which nodes. */
export interface NodeQuery {
  /** Which page, from 1. */
  page?: number | undefined;
  /** Rows on a page; all of them when left out. */
  limit?: number | undefined;
  /** A column, and the direction. */
  orderBy?:
    | 'id,asc'
    | 'id,desc'
    | 'name,asc'
    | 'name,desc'
    | 'address,asc'
    | 'address,desc'
    | 'isGateway,asc'
    | 'isGateway,desc'
    | 'status,asc'
    | 'status,desc'
    | 'latestHandshakeTimestamp,asc'
    | 'latestHandshakeTimestamp,desc'
    | 'transferRx,asc'
    | 'transferRx,desc'
    | 'transferTx,asc'
    | 'transferTx,desc'
    | 'created_at,asc'
    | 'created_at,desc'
    | undefined;
  /** Only rows with these words. */
  search?: string | undefined;
  /** Only those with this tag, in any case; given again, ten times at most: with all of them. */
  tag?: string[] | undefined;
  /** Plain nodes alone, or gateways alone. */
  type?: 'nodes' | 'gateways' | undefined;
}

/** A new node. */
export interface NodeInput {
  /** What it is called. */
  name: string;
  /** IPv4 within the VPN, without CIDR. */
  address?: string | null | undefined;
  /** DNS servers that the node uses while connected, with a comma or a space between them. */
  dns?: string | null | undefined;
  /** Seconds between keep-alive packets; 0: none. */
  keepalive?: number | undefined;
  /** Send all internet traffic through the VPN. */
  allowInternet?: boolean | undefined;
  /** It is a gateway: the subnets behind it are reached through it. */
  isGateway?: boolean | undefined;
  /** The subnets behind a gateway, each with the interface to it. */
  gatewayNetworks?:
    | {
        /** The interface by which the node reaches it. */
        interface: string;
        /** As CIDR. */
        subnet: string;
      }[]
    | null
    | undefined;
  /** The DNS server that the gateway asks for the names of backends behind a gateway, an address of its subnets; null: the node itself. */
  resolver?: string | null | undefined;
  /** Its access tokens may use every domain, also those of the administrator. */
  allowAnyDomain?: boolean | undefined;
  /** Networks that its access tokens may put behind it although they are not private, or a large part of a private range. */
  allowedNetworks?: string[] | null | undefined;
  /** Tags to find it by: at most 100, each at most 40 characters, no commas. */
  tags?: string[] | null | undefined;
  /** What there is to know about it: plain text, several lines. */
  notes?: string | null | undefined;
  /** The form shows its advanced fields. */
  advanced?: boolean | undefined;
  /** The first of `gatewayNetworks`, as CIDR. */
  gatewayNetwork?: string | null | undefined;
}

/** A change of a node: what is left out stays as it is. */
export interface NodePatch {
  /** What it is called. */
  name?: string | undefined;
  /** IPv4 within the VPN, without CIDR. */
  address?: string | null | undefined;
  /** DNS servers that the node uses while connected, with a comma or a space between them. */
  dns?: string | null | undefined;
  /** Seconds between keep-alive packets; 0: none. */
  keepalive?: number | undefined;
  /** Send all internet traffic through the VPN. */
  allowInternet?: boolean | undefined;
  /** It is a gateway: the subnets behind it are reached through it. */
  isGateway?: boolean | undefined;
  /** The subnets behind a gateway, each with the interface to it. */
  gatewayNetworks?:
    | {
        /** The interface by which the node reaches it. */
        interface: string;
        /** As CIDR. */
        subnet: string;
      }[]
    | null
    | undefined;
  /** The DNS server that the gateway asks for the names of backends behind a gateway, an address of its subnets; null: the node itself. */
  resolver?: string | null | undefined;
  /** Its access tokens may use every domain, also those of the administrator. */
  allowAnyDomain?: boolean | undefined;
  /** Networks that its access tokens may put behind it although they are not private, or a large part of a private range. */
  allowedNetworks?: string[] | null | undefined;
  /** Tags to find it by: at most 100, each at most 40 characters, no commas. */
  tags?: string[] | null | undefined;
  /** What there is to know about it: plain text, several lines. */
  notes?: string | null | undefined;
  /** The form shows its advanced fields. */
  advanced?: boolean | undefined;
  /** The first of `gatewayNetworks`, as CIDR. */
  gatewayNetwork?: string | null | undefined;
  /** The number of the node. */
  id?: number | undefined;
}

/** Which domains. */
export interface DomainQuery {
  /** Which page, from 1. */
  page?: number | undefined;
  /** Rows on a page; all of them when left out. */
  limit?: number | undefined;
  /** A column, and the direction. */
  orderBy?:
    | 'id,asc'
    | 'id,desc'
    | 'domain,asc'
    | 'domain,desc'
    | 'ssl,asc'
    | 'ssl,desc'
    | 'created_at,asc'
    | 'created_at,desc'
    | undefined;
  /** Only rows with these words. */
  search?: string | undefined;
  /** Only those with this tag, in any case; given again, ten times at most: with all of them. */
  tag?: string[] | undefined;
}

/** A new domain. */
export interface DomainInput {
  /** Its name. */
  domain: string;
  /** Where its certificate comes from. */
  ssl?: 'self-signed' | 'certbot' | null | undefined;
  /** Do not check that the name points to this gateway. */
  skipValidation?: boolean | null | undefined;
  /** Visitors may be asked to sign in (OAuth2). */
  authentication?: boolean | null | undefined;
  /** Of those who sign in, only these e-mail addresses are let in; none: everybody. */
  allowedEmails?: string[] | null | undefined;
  /** Tell browsers to come by HTTPS alone (HSTS), for as long as the domain has a trusted certificate. */
  hsts?: boolean | null | undefined;
  /** It is the administrator's: access tokens of nodes may use it only where `allowedNodes`, or the node, says so. */
  reserved?: boolean | null | undefined;
  /** The nodes, by id, whose access tokens may use it for services of theirs. */
  allowedNodes?: number[] | null | undefined;
  /** Tags to find it by: at most 100, each at most 40 characters, no commas. */
  tags?: string[] | null | undefined;
  /** What there is to know about it: plain text, several lines. */
  notes?: string | null | undefined;
}

/** A change of a domain: what is left out stays as it is. */
export interface DomainPatch {
  /** Its name. */
  domain?: string | undefined;
  /** Where its certificate comes from. */
  ssl?: 'self-signed' | 'certbot' | null | undefined;
  /** Do not check that the name points to this gateway. */
  skipValidation?: boolean | null | undefined;
  /** Visitors may be asked to sign in (OAuth2). */
  authentication?: boolean | null | undefined;
  /** Of those who sign in, only these e-mail addresses are let in; none: everybody. */
  allowedEmails?: string[] | null | undefined;
  /** Tell browsers to come by HTTPS alone (HSTS), for as long as the domain has a trusted certificate. */
  hsts?: boolean | null | undefined;
  /** It is the administrator's: access tokens of nodes may use it only where `allowedNodes`, or the node, says so. */
  reserved?: boolean | null | undefined;
  /** The nodes, by id, whose access tokens may use it for services of theirs. */
  allowedNodes?: number[] | null | undefined;
  /** Tags to find it by: at most 100, each at most 40 characters, no commas. */
  tags?: string[] | null | undefined;
  /** What there is to know about it: plain text, several lines. */
  notes?: string | null | undefined;
  /** The number of the domain. */
  id?: number | undefined;
  /** Open its protected services to everybody with the sign-in turned off. */
  publish?: boolean | undefined;
}

/** Which services of both kinds. */
export interface ServiceQuery {
  /** Which page, from 1. */
  page?: number | undefined;
  /** Rows on a page; all of them when left out. */
  limit?: number | undefined;
  /** A column, and the direction. */
  orderBy?:
    | 'id,asc'
    | 'id,desc'
    | 'name,asc'
    | 'name,desc'
    | 'node,asc'
    | 'node,desc'
    | 'address,asc'
    | 'address,desc'
    | 'domain,asc'
    | 'domain,desc'
    | 'pathLocation,asc'
    | 'pathLocation,desc'
    | 'port,asc'
    | 'port,desc'
    | 'enabled,asc'
    | 'enabled,desc'
    | 'created_at,asc'
    | 'created_at,desc'
    | undefined;
  /** Only rows with these words. */
  search?: string | undefined;
  /** Only those with this tag, in any case; given again, ten times at most: with all of them. */
  tag?: string[] | undefined;
  /** Only those of this domain. */
  domain?: string | undefined;
  /** Only those of this node. */
  nodeId?: number | undefined;
  /** HTTP services alone, or TCP and UDP services alone. */
  type?: 'http' | 'tcp' | undefined;
  /** Only TCP services, or only UDP services. */
  proto?: 'tcp' | 'udp' | undefined;
  /** Only those that are so. */
  status?: 'up' | 'down' | 'closed' | 'failing' | 'unknown' | undefined;
  /** Only those that let in everyone, who signs in, or by a list of addresses. */
  access?: 'open' | 'sign-in' | 'list' | undefined;
}

/** Which HTTP services of a node. */
export interface HttpServiceQuery {
  /** Which page, from 1. */
  page?: number | undefined;
  /** Rows on a page; all of them when left out. */
  limit?: number | undefined;
  /** A column, and the direction. */
  orderBy?:
    | 'id,asc'
    | 'id,desc'
    | 'name,asc'
    | 'name,desc'
    | 'domain,asc'
    | 'domain,desc'
    | 'pathLocation,asc'
    | 'pathLocation,desc'
    | 'enabled,asc'
    | 'enabled,desc'
    | 'created_at,asc'
    | 'created_at,desc'
    | undefined;
  /** Only rows with these words. */
  search?: string | undefined;
  /** Only those with this tag, in any case; given again, ten times at most: with all of them. */
  tag?: string[] | undefined;
  /** Only those of this domain. */
  domain?: string | undefined;
}

/** Which HTTP services of all nodes. */
export interface AllHttpServicesQuery {
  /** Which page, from 1. */
  page?: number | undefined;
  /** Rows on a page; all of them when left out. */
  limit?: number | undefined;
  /** A column, and the direction. */
  orderBy?:
    | 'id,asc'
    | 'id,desc'
    | 'name,asc'
    | 'name,desc'
    | 'domain,asc'
    | 'domain,desc'
    | 'pathLocation,asc'
    | 'pathLocation,desc'
    | 'enabled,asc'
    | 'enabled,desc'
    | 'created_at,asc'
    | 'created_at,desc'
    | undefined;
  /** Only rows with these words. */
  search?: string | undefined;
  /** Only those with this tag, in any case; given again, ten times at most: with all of them. */
  tag?: string[] | undefined;
  /** Only those of this domain. */
  domain?: string | undefined;
  /** Only those of this node. */
  nodeId?: number | undefined;
  /** Only this one. */
  id?: number | undefined;
}

/** A new HTTP service: reached by a domain, a path, or both. */
export interface HttpServiceInput {
  /** What it is called. */
  name: string;
  /** The public domain; none: the gateway's own name. */
  domain?: string | null | undefined;
  /** The backend's host behind a gateway; none for a plain node, which is its own backend. */
  backendHost?: string | null | undefined;
  /** Only these addresses and networks may come in; none: everybody. */
  allowedIps?: string[] | null | undefined;
  /** These addresses and networks may not; a block wins. */
  blockedIps?: string[] | null | undefined;
  /** Tags to find it by: at most 100, each at most 40 characters, no commas. */
  tags?: string[] | null | undefined;
  /** What there is to know about it: plain text, several lines. */
  notes?: string | null | undefined;
  /** The public path; begins with `/`. */
  pathLocation?: string | null | undefined;
  /** How the backend is spoken to. */
  backendProto?: 'http' | 'https' | null | undefined;
  /** The port of the backend. */
  backendPort?: number | null | undefined;
  /** Visitors must sign in (the domain has OAuth2 authentication). */
  requireAuth?: boolean | null | undefined;
  /** Paths below the service that visitors may see without signing in, one a line: a path, or ^ and a pattern. */
  skipAuthRoutes?: string | null | undefined;
  /** Like `30s`, `10m`, `2h` or `1d`. */
  ttl?: string | null | undefined;
}

/** A change of an HTTP service: what is left out stays as it is. */
export interface HttpServicePatch {
  /** What it is called. */
  name?: string | undefined;
  /** The public domain; none: the gateway's own name. */
  domain?: string | null | undefined;
  /** The backend's host behind a gateway; none for a plain node, which is its own backend. */
  backendHost?: string | null | undefined;
  /** Only these addresses and networks may come in; none: everybody. */
  allowedIps?: string[] | null | undefined;
  /** These addresses and networks may not; a block wins. */
  blockedIps?: string[] | null | undefined;
  /** Tags to find it by: at most 100, each at most 40 characters, no commas. */
  tags?: string[] | null | undefined;
  /** What there is to know about it: plain text, several lines. */
  notes?: string | null | undefined;
  /** The public path; begins with `/`. */
  pathLocation?: string | null | undefined;
  /** How the backend is spoken to. */
  backendProto?: 'http' | 'https' | null | undefined;
  /** The port of the backend. */
  backendPort?: number | null | undefined;
  /** Visitors must sign in (the domain has OAuth2 authentication). */
  requireAuth?: boolean | null | undefined;
  /** Paths below the service that visitors may see without signing in, one a line: a path, or ^ and a pattern. */
  skipAuthRoutes?: string | null | undefined;
  /** Like `30s`, `10m`, `2h` or `1d`. */
  ttl?: string | null | undefined;
  /** The number of the service. */
  id?: number | undefined;
}

/** Which TCP and UDP services of a node. */
export interface TcpServiceQuery {
  /** Which page, from 1. */
  page?: number | undefined;
  /** Rows on a page; all of them when left out. */
  limit?: number | undefined;
  /** A column, and the direction. */
  orderBy?:
    | 'id,asc'
    | 'id,desc'
    | 'name,asc'
    | 'name,desc'
    | 'domain,asc'
    | 'domain,desc'
    | 'port,asc'
    | 'port,desc'
    | 'enabled,asc'
    | 'enabled,desc'
    | 'created_at,asc'
    | 'created_at,desc'
    | undefined;
  /** Only rows with these words. */
  search?: string | undefined;
  /** Only those with this tag, in any case; given again, ten times at most: with all of them. */
  tag?: string[] | undefined;
  /** Only those of this domain. */
  domain?: string | undefined;
}

/** Which TCP and UDP services of all nodes. */
export interface AllTcpServicesQuery {
  /** Which page, from 1. */
  page?: number | undefined;
  /** Rows on a page; all of them when left out. */
  limit?: number | undefined;
  /** A column, and the direction. */
  orderBy?:
    | 'id,asc'
    | 'id,desc'
    | 'name,asc'
    | 'name,desc'
    | 'domain,asc'
    | 'domain,desc'
    | 'port,asc'
    | 'port,desc'
    | 'enabled,asc'
    | 'enabled,desc'
    | 'created_at,asc'
    | 'created_at,desc'
    | undefined;
  /** Only rows with these words. */
  search?: string | undefined;
  /** Only those with this tag, in any case; given again, ten times at most: with all of them. */
  tag?: string[] | undefined;
  /** Only those of this domain. */
  domain?: string | undefined;
  /** Only those of this node. */
  nodeId?: number | undefined;
  /** Only this one. */
  id?: number | undefined;
}

/** A new TCP or UDP service. */
export interface TcpServiceInput {
  /** What it is called. */
  name: string;
  /** The public domain; none: the gateway's own name. */
  domain?: string | null | undefined;
  /** The backend's host behind a gateway; none for a plain node, which is its own backend. */
  backendHost?: string | null | undefined;
  /** Only these addresses and networks may come in; none: everybody. */
  allowedIps?: string[] | null | undefined;
  /** These addresses and networks may not; a block wins. */
  blockedIps?: string[] | null | undefined;
  /** Tags to find it by: at most 100, each at most 40 characters, no commas. */
  tags?: string[] | null | undefined;
  /** What there is to know about it: plain text, several lines. */
  notes?: string | null | undefined;
  /** The transport. */
  proto?: 'tcp' | 'udp' | null | undefined;
  /** The port of the backend. */
  backendPort: number;
  /** The gateway terminates TLS. */
  ssl?: boolean | null | undefined;
  /** The public port; the next free one when left out. */
  port?: number | null | undefined;
  /** Like `30s`, `10m`, `2h` or `1d`. */
  ttl?: string | null | undefined;
}

/** A change of a TCP or UDP service: what is left out stays. */
export interface TcpServicePatch {
  /** What it is called. */
  name?: string | undefined;
  /** The public domain; none: the gateway's own name. */
  domain?: string | null | undefined;
  /** The backend's host behind a gateway; none for a plain node, which is its own backend. */
  backendHost?: string | null | undefined;
  /** Only these addresses and networks may come in; none: everybody. */
  allowedIps?: string[] | null | undefined;
  /** These addresses and networks may not; a block wins. */
  blockedIps?: string[] | null | undefined;
  /** Tags to find it by: at most 100, each at most 40 characters, no commas. */
  tags?: string[] | null | undefined;
  /** What there is to know about it: plain text, several lines. */
  notes?: string | null | undefined;
  /** The transport. */
  proto?: 'tcp' | 'udp' | null | undefined;
  /** The port of the backend. */
  backendPort?: number | undefined;
  /** The gateway terminates TLS. */
  ssl?: boolean | null | undefined;
  /** The public port; the next free one when left out. */
  port?: number | null | undefined;
  /** Like `30s`, `10m`, `2h` or `1d`. */
  ttl?: string | null | undefined;
  /** The number of the service. */
  id?: number | undefined;
}

/** What is done to which services. */
export interface BulkInput {
  /** `limit` sets the time limit `ttl`, `tag` adds `addTags` and takes `removeTags` away. */
  action: 'enable' | 'disable' | 'tag' | 'limit' | 'remove';
  /** The services, 500 at most. */
  items: {
    /** The kind of the service. */
    type: 'http' | 'tcp';
    /** The number of the service. */
    id: number;
    /** The version that the change is based on: another one is refused (412). Left out: as it is by then. */
    version?: number | undefined;
  }[];
  /** Like `30s`, `10m`, `2h` or `1d`. */
  ttl?: string | null | undefined;
  /** Tags that they get, next to those that they have. */
  addTags?: string[] | undefined;
  /** Tags that are taken away from them, in any case. */
  removeTags?: string[] | undefined;
}

/** How long a service stays open. */
export interface EnableInput {
  /** Like `30s`, `10m`, `2h` or `1d`. */
  ttl?: string | null | undefined;
}

/** A new access token. */
export interface TokenInput {
  /** What it is called. */
  name: string;
  /** ISO 8601; null: never. */
  expireAt?: string | null | undefined;
}

/** A new join key. */
export interface JoinKeyInput {
  /** What it is called; so are the access tokens that come of it. */
  name: string;
  /** The node that a host becomes with it; null: a new one. */
  nodeId?: number | null | undefined;
  /** Any number of hosts may join with it, each as a node of its own. */
  reusable?: boolean | undefined;
  /** What the name of a new node must be like; `*` stands for any letters, as in `web-*`. */
  namePattern?: string | null | undefined;
  /** The new node is a gateway: the host says which subnet is behind it, a private one. */
  isGateway?: boolean | undefined;
  /** ISO 8601; a day from now when it is left out. */
  expireAt?: string | null | undefined;
}

/** What a host says when it joins. */
export interface RedeemInput {
  /** The code of a join key, in any case, with or without its hyphens. */
  code: string;
  /** A random text of 20 to 100 letters and digits. Sent again with the same one, because its answer was lost, the call makes no second node. */
  claim: string;
  /** What the new node is called; the node of the key keeps its name. */
  name?: string | undefined;
  /** The subnets behind it, where the key makes gateways. */
  gatewayNetworks?:
    | {
        /** The interface by which the node reaches it. */
        interface: string;
        /** As CIDR. */
        subnet: string;
      }[]
    | undefined;
}

/** A new API token. */
export interface ApiTokenInput {
  /** What it is called. */
  name: string;
  /** What it may do: for each kind of object, `read` or `write`, which includes `read`. */
  scope: (
    | 'nodes:read'
    | 'nodes:write'
    | 'domains:read'
    | 'domains:write'
    | 'services:read'
    | 'services:write'
    | 'tokens:read'
    | 'tokens:write'
    | 'logs:read'
  )[];
  /** The nodes, by id, that it is limited to; all when left out. Such a token has no rights for domains. */
  nodes?: number[] | null | undefined;
  /** ISO 8601; null: never. */
  expireAt?: string | null | undefined;
}

/** Another public address. */
export interface PublicAddressInput {
  /** The name or address by which hosts and visitors reach the gateway. */
  host: string;
}

/** What is to be tried. */
export interface SettingTestInput {
  /** Which one: its configured address is asked, and no other. */
  service: 'identityProvider' | 'certificateAuthority';
}

/** A change of the identity provider: what is left out stays. */
export interface IdentityProviderInput {
  /** What the provider calls itself; null: visitors sign in nowhere. */
  issuer?: string | null | undefined;
  /** The gateway's account there. */
  clientId?: string | null | undefined;
  /** The secret of that account; null or left out: the one that is stored. */
  clientSecret?: string | null | undefined;
}

/** A change of the certificate authority: what is left out stays. */
export interface CertificateAuthorityInput {
  /** Its ACME directory; null: that of Let's Encrypt. */
  url?: string | null | undefined;
  /** Where it writes to, for example before a certificate ends; null: nowhere. */
  email?: string | null | undefined;
}

/** Whose lines: a domain's, or one service's. */
export type LogQuery =
  | {
      /** A domain name of at least two labels. */
      domain: string;
      /** The kind of the service. */
      type?: 'http' | 'tcp' | undefined;
      /** The number of the service. */
      id?: number | undefined;
      /** So many of the lines before come first. */
      lines?: number | undefined;
      /** Each text has a second line: what else is known, as a JSON object. */
      with?: 'details' | undefined;
    }
  | {
      /** A domain name of at least two labels. */
      domain?: string | undefined;
      /** The kind of the service. */
      type: 'http' | 'tcp';
      /** The number of the service. */
      id: number;
      /** So many of the lines before come first. */
      lines?: number | undefined;
      /** Each text has a second line: what else is known, as a JSON object. */
      with?: 'details' | undefined;
    };

/** What `session.login` is given. */
export interface SessionLoginRequest {
  /** What is sent. */
  body: LoginInput;
}

/** What `session.end` is given. */
export interface SessionEndRequest {
  /** What stands in the path. */
  params: {
    /** The number of the session. */
    id: number;
  };
}

/** What `session.changePassword` is given. */
export interface SessionChangePasswordRequest {
  /** What is sent. */
  body: PasswordInput;
}

/** What `node.list` is given. */
export interface NodeListRequest {
  /** What is asked for. */
  query?: NodeQuery;
}

/** What `node.watchOne` is given. */
export interface NodeWatchOneRequest {
  /** What is asked for. */
  query: {
    /** The number of the node. */
    id: number;
  };
}

/** What `node.watch` is given. */
export interface NodeWatchRequest {
  /** What is asked for. */
  query?: NodeQuery;
}

/** What `node.get` is given. */
export interface NodeGetRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    id: number;
  };
}

/** What `node.config` is given. */
export interface NodeConfigRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    id: number;
  };
}

/** What `node.download` is given. */
export interface NodeDownloadRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    id: number;
  };
  /** What is asked for. */
  query?: {
    /** Who reads it; `wg-quick` when left out. */
    for?: 'wg-quick' | 'app' | undefined;
  };
}

/** What `node.create` is given. */
export interface NodeCreateRequest {
  /** What is sent. */
  body: NodeInput;
}

/** What `node.update` is given. */
export interface NodeUpdateRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    id: number;
  };
  /** What is sent. */
  body?: NodePatch;
}

/** What `node.enable` is given. */
export interface NodeEnableRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    id: number;
  };
}

/** What `node.disable` is given. */
export interface NodeDisableRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    id: number;
  };
}

/** What `node.remove` is given. */
export interface NodeRemoveRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    id: number;
  };
}

/** What `domain.list` is given. */
export interface DomainListRequest {
  /** What is asked for. */
  query?: DomainQuery;
}

/** What `domain.get` is given. */
export interface DomainGetRequest {
  /** What stands in the path. */
  params: {
    /** The number of the domain. */
    id: number;
  };
}

/** What `domain.dns` is given. */
export interface DomainDnsRequest {
  /** What stands in the path. */
  params: {
    /** The number of the domain. */
    id: number;
  };
}

/** What `domain.create` is given. */
export interface DomainCreateRequest {
  /** What is sent. */
  body: DomainInput;
}

/** What `domain.update` is given. */
export interface DomainUpdateRequest {
  /** What stands in the path. */
  params: {
    /** The number of the domain. */
    id: number;
  };
  /** What is sent. */
  body?: DomainPatch;
}

/** What `domain.remove` is given. */
export interface DomainRemoveRequest {
  /** What stands in the path. */
  params: {
    /** The number of the domain. */
    id: number;
  };
}

/** What `service.list` is given. */
export interface ServiceListRequest {
  /** What is asked for. */
  query?: ServiceQuery;
}

/** What `httpService.listAll` is given. */
export interface HttpServiceListAllRequest {
  /** What is asked for. */
  query?: AllHttpServicesQuery;
}

/** What `httpService.watch` is given. */
export interface HttpServiceWatchRequest {
  /** What is asked for. */
  query?: AllHttpServicesQuery;
}

/** What `httpService.list` is given. */
export interface HttpServiceListRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
  };
  /** What is asked for. */
  query?: HttpServiceQuery;
}

/** What `httpService.get` is given. */
export interface HttpServiceGetRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
    /** The number of the service. */
    id: number;
  };
}

/** What `httpService.ping` is given. */
export interface HttpServicePingRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
    /** The number of the service. */
    id: number;
  };
  /** What is asked for. */
  query?: {
    /** Taken for other clients; the backend is sent no request of its own. */
    path?: string | undefined;
  };
}

/** What `httpService.create` is given. */
export interface HttpServiceCreateRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
  };
  /** What is sent. */
  body: HttpServiceInput;
}

/** What `httpService.update` is given. */
export interface HttpServiceUpdateRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
    /** The number of the service. */
    id: number;
  };
  /** What is sent. */
  body?: HttpServicePatch;
}

/** What `httpService.enable` is given. */
export interface HttpServiceEnableRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
    /** The number of the service. */
    id: number;
  };
}

/** What `httpService.disable` is given. */
export interface HttpServiceDisableRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
    /** The number of the service. */
    id: number;
  };
}

/** What `httpService.remove` is given. */
export interface HttpServiceRemoveRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
    /** The number of the service. */
    id: number;
  };
}

/** What `tcpService.listAll` is given. */
export interface TcpServiceListAllRequest {
  /** What is asked for. */
  query?: AllTcpServicesQuery;
}

/** What `tcpService.watch` is given. */
export interface TcpServiceWatchRequest {
  /** What is asked for. */
  query?: AllTcpServicesQuery;
}

/** What `tcpService.list` is given. */
export interface TcpServiceListRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
  };
  /** What is asked for. */
  query?: TcpServiceQuery;
}

/** What `tcpService.get` is given. */
export interface TcpServiceGetRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
    /** The number of the service. */
    id: number;
  };
}

/** What `tcpService.create` is given. */
export interface TcpServiceCreateRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
  };
  /** What is sent. */
  body: TcpServiceInput;
}

/** What `tcpService.update` is given. */
export interface TcpServiceUpdateRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
    /** The number of the service. */
    id: number;
  };
  /** What is sent. */
  body?: TcpServicePatch;
}

/** What `tcpService.enable` is given. */
export interface TcpServiceEnableRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
    /** The number of the service. */
    id: number;
  };
}

/** What `tcpService.disable` is given. */
export interface TcpServiceDisableRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
    /** The number of the service. */
    id: number;
  };
}

/** What `tcpService.remove` is given. */
export interface TcpServiceRemoveRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    nodeId: number;
    /** The number of the service. */
    id: number;
  };
}

/** What `token.list` is given. */
export interface TokenListRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    id: number;
  };
  /** What is asked for. */
  query?: {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Rows on a page; all of them when left out. */
    limit?: number | undefined;
    /** A column, and the direction. */
    orderBy?:
      | 'id,asc'
      | 'id,desc'
      | 'name,asc'
      | 'name,desc'
      | 'expireAt,asc'
      | 'expireAt,desc'
      | 'created_at,asc'
      | 'created_at,desc'
      | undefined;
    /** Only rows with these words. */
    search?: string | undefined;
  };
}

/** What `token.create` is given. */
export interface TokenCreateRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    id: number;
  };
  /** What is sent. */
  body: TokenInput;
}

/** What `token.revoke` is given. */
export interface TokenRevokeRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    id: number;
    /** The number of the token. */
    tokenId: number;
  };
}

/** What `token.remove` is given. */
export interface TokenRemoveRequest {
  /** What stands in the path. */
  params: {
    /** The number of the node. */
    id: number;
    /** The number of the token. */
    tokenId: number;
  };
}

/** What `log.watch` is given. */
export interface LogWatchRequest {
  /** What is asked for. */
  query: LogQuery;
}

/** What `joinKey.list` is given. */
export interface JoinKeyListRequest {
  /** What is asked for. */
  query?: {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Rows on a page; all of them when left out. */
    limit?: number | undefined;
    /** A column, and the direction. */
    orderBy?:
      | 'id,asc'
      | 'id,desc'
      | 'name,asc'
      | 'name,desc'
      | 'expireAt,asc'
      | 'expireAt,desc'
      | 'created_at,asc'
      | 'created_at,desc'
      | undefined;
    /** Only rows with these words. */
    search?: string | undefined;
  };
}

/** What `joinKey.create` is given. */
export interface JoinKeyCreateRequest {
  /** What is sent. */
  body: JoinKeyInput;
}

/** What `joinKey.remove` is given. */
export interface JoinKeyRemoveRequest {
  /** What stands in the path. */
  params: {
    /** The number of the join key. */
    id: number;
  };
}

/** What `joinKey.redeem` is given. */
export interface JoinKeyRedeemRequest {
  /** What is sent. */
  body: RedeemInput;
}

/** What `apiToken.list` is given. */
export interface ApiTokenListRequest {
  /** What is asked for. */
  query?: {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Rows on a page; all of them when left out. */
    limit?: number | undefined;
    /** A column, and the direction. */
    orderBy?:
      | 'id,asc'
      | 'id,desc'
      | 'name,asc'
      | 'name,desc'
      | 'expireAt,asc'
      | 'expireAt,desc'
      | 'created_at,asc'
      | 'created_at,desc'
      | undefined;
    /** Only rows with these words. */
    search?: string | undefined;
  };
}

/** What `apiToken.create` is given. */
export interface ApiTokenCreateRequest {
  /** What is sent. */
  body: ApiTokenInput;
}

/** What `apiToken.remove` is given. */
export interface ApiTokenRemoveRequest {
  /** What stands in the path. */
  params: {
    /** The number of the API token. */
    id: number;
  };
}

/** What `publicAddress.change` is given. */
export interface PublicAddressChangeRequest {
  /** What is sent. */
  body: PublicAddressInput;
}

/** What `settings.test` is given. */
export interface SettingsTestRequest {
  /** What is sent. */
  body: SettingTestInput;
}

/** What `settings.changeProvider` is given. */
export interface SettingsChangeProviderRequest {
  /** What is sent. */
  body?: IdentityProviderInput;
}

/** What `settings.changeAuthority` is given. */
export interface SettingsChangeAuthorityRequest {
  /** What is sent. */
  body?: CertificateAuthorityInput;
}

/** What `bulk.services` is given. */
export interface BulkServicesRequest {
  /** What is sent. */
  body: BulkInput;
}

/** What `cli.node` is given. */
export interface CliNodeRequest {
  /** What is asked for. */
  query?: {
    /** The backends of the services are asked first, unless they were within the last second, or too many are being asked; it takes 3 seconds at most. */
    fresh?: 'true' | undefined;
  };
}

/** What `cli.gateway` is given. */
export interface CliGatewayRequest {
  /** What is sent. */
  body: {
    /** IPv4 or IPv6 with a CIDR. */
    gatewayNetwork: string;
    /** The interface to it. */
    gatewayInterface?: string | null | undefined;
  };
}

/** What `cli.listHttp` is given. */
export interface CliListHttpRequest {
  /** What is asked for. */
  query?: AllHttpServicesQuery;
}

/** What `cli.listTcp` is given. */
export interface CliListTcpRequest {
  /** What is asked for. */
  query?: AllTcpServicesQuery;
}

/** What `cli.exposeHttp` is given. */
export interface CliExposeHttpRequest {
  /** What is sent. */
  body: HttpServiceInput;
}

/** What `cli.exposeTcp` is given. */
export interface CliExposeTcpRequest {
  /** What is sent. */
  body: TcpServiceInput;
}

/** What `cli.updateHttp` is given. */
export interface CliUpdateHttpRequest {
  /** What stands in the path. */
  params: {
    /** The number of the service. */
    id: number;
  };
  /** What is sent. */
  body?: HttpServicePatch;
}

/** What `cli.updateTcp` is given. */
export interface CliUpdateTcpRequest {
  /** What stands in the path. */
  params: {
    /** The number of the service. */
    id: number;
  };
  /** What is sent. */
  body?: TcpServicePatch;
}

/** What `cli.enableHttp` is given. */
export interface CliEnableHttpRequest {
  /** What stands in the path. */
  params: {
    /** The number of the service. */
    id: number;
  };
  /** What is sent. */
  body?: EnableInput;
}

/** What `cli.disableHttp` is given. */
export interface CliDisableHttpRequest {
  /** What stands in the path. */
  params: {
    /** The number of the service. */
    id: number;
  };
}

/** What `cli.enableTcp` is given. */
export interface CliEnableTcpRequest {
  /** What stands in the path. */
  params: {
    /** The number of the service. */
    id: number;
  };
  /** What is sent. */
  body?: EnableInput;
}

/** What `cli.disableTcp` is given. */
export interface CliDisableTcpRequest {
  /** What stands in the path. */
  params: {
    /** The number of the service. */
    id: number;
  };
}

/** Signing in and out, and the password. */
export interface SessionCalls {
  /**
   * Signs the administrator in. Five failed tries in ten minutes from one address answer 429. With `publicKey`, the token works only with a proof of its private half in the header `DPoP` (RFC 9449).
   *
   * `POST /api/auth/login`. Needs no token.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `invalid`, `throttled`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  login(input: SessionLoginRequest, options?: CallOptions): Call<Session>;
  /**
   * Ends the session: its token is refused from now on.
   *
   * `POST /api/auth/logout`. Needs an administrator's token.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  logout(input?: {}, options?: CallOptions): Call<string>;
  /**
   * Says whom the token belongs to.
   *
   * `GET /api/auth/me`. Needs an administrator's token, or a node's access token. An API token needs no right.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  me(input?: {}, options?: CallOptions): Call<Me>;
  /**
   * Lists the sessions that last, the newest first.
   *
   * `GET /api/sessions`. Needs an administrator's token.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  list(input?: {}, options?: CallOptions): Call<OpenSession[]>;
  /**
   * Ends a session: its token is refused from now on.
   *
   * `DELETE /api/sessions/{id}`. Needs an administrator's token.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  end(input: SessionEndRequest, options?: CallOptions): Call<string>;
  /**
   * Ends all sessions but the one that asks.
   *
   * `DELETE /api/sessions`. Needs an administrator's token.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  endOthers(input?: {}, options?: CallOptions): Call<string>;
  /**
   * Says whether the password can be changed here.
   *
   * `GET /api/auth/password`. Needs an administrator's token.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  password(
    input?: {},
    options?: CallOptions,
  ): Call<{
    /** Why it cannot, in a sentence; null: it can. */
    problem: string | null;
  }>;
  /**
   * Changes the password and ends all sessions but the one that asks. API tokens stay.
   *
   * `POST /api/auth/password`. Needs an administrator's token.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  changePassword(input: SessionChangePasswordRequest, options?: CallOptions): Call<string>;
}

/** Nodes: the hosts that have a tunnel to the gateway. */
export interface NodeCalls {
  /**
   * Lists the nodes; the local node comes first.
   *
   * `GET /api/nodes`. Needs an administrator's token. An API token needs `nodes:read`.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  list(input?: NodeListRequest, options?: CallOptions): Call<Page<Node>>;
  /**
   * Every row of all pages, for a `for await` loop; a page is read when it is needed. `query.limit` is its size, 100
   * unless given. What is added or removed meanwhile may be missed or come twice.
   *
   * `GET /api/nodes`. Needs an administrator's token. An API token needs `nodes:read`.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  all(input?: NodeListRequest, options?: CallOptions): AsyncGenerator<Node, void, undefined>;
  /**
   * Streams one node, whenever it changes.
   *
   * `GET /api/nodes/stream`. Needs an administrator's token. An API token needs `nodes:read`.
   *
   * @param input `query`
   * @param options how the stream is read
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  watchOne(input: NodeWatchOneRequest, options?: WatchOptions): EventStream<Node>;
  /**
   * Streams the page of the nodes list that the query asks for, whole, whenever it changes. Without `as=page` in the header `Accept: text/event-stream; as=page`, an event is the bare array of its nodes.
   *
   * `GET /api/nodes/stream`. Needs an administrator's token. An API token needs `nodes:read`.
   *
   * @param input `query`
   * @param options how the stream is read
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  watch(input?: NodeWatchRequest, options?: WatchOptions): EventStream<Page<Node>>;
  /**
   * Reads a node.
   *
   * `GET /api/nodes/{id}`. Needs an administrator's token. An API token needs `nodes:read`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  get(input: NodeGetRequest, options?: CallOptions): Call<Node>;
  /**
   * The node's WireGuard configuration as one text.
   *
   * `GET /api/nodes/{id}/config`. Needs an administrator's token. An API token needs `tokens:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  config(input: NodeConfigRequest, options?: CallOptions): Call<string>;
  /**
   * Downloads the node's WireGuard configuration.
   *
   * `GET /api/nodes/{id}/download`. Needs an administrator's token. An API token needs `tokens:write`.
   *
   * @param input `params`, `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  download(input: NodeDownloadRequest, options?: CallOptions): Promise<Download>;
  /**
   * Creates a node and its first access token.
   *
   * `POST /api/nodes`. Needs an administrator's token. An API token needs `nodes:write` and `tokens:write`.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  create(input: NodeCreateRequest, options?: CallOptions): Call<CreatedNode>;
  /**
   * Changes a node; fields that are left out stay as they are.
   *
   * `PATCH /api/nodes/{id}`. Needs an administrator's token. An API token needs `nodes:write`.
   *
   * @param input `params`, `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  update(input: NodeUpdateRequest, options?: CallOptions): Call<Node>;
  /**
   * Lets the node connect again.
   *
   * `PATCH /api/nodes/{id}/enable`. Needs an administrator's token. An API token needs `nodes:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  enable(input: NodeEnableRequest, options?: CallOptions): Call<Node>;
  /**
   * Disconnects the node; its services answer 503.
   *
   * `PATCH /api/nodes/{id}/disable`. Needs an administrator's token. An API token needs `nodes:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  disable(input: NodeDisableRequest, options?: CallOptions): Call<Node>;
  /**
   * Deletes the node, its services and its access tokens.
   *
   * `DELETE /api/nodes/{id}`. Needs an administrator's token. An API token needs `nodes:write` and `services:write` and `tokens:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  remove(input: NodeRemoveRequest, options?: CallOptions): Call<string>;
}

/** Domain names. */
export interface DomainCalls {
  /**
   * Lists the domains.
   *
   * `GET /api/domains`. Needs an administrator's token. An API token needs `domains:read`.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  list(input?: DomainListRequest, options?: CallOptions): Call<Page<Domain>>;
  /**
   * Every row of all pages, for a `for await` loop; a page is read when it is needed. `query.limit` is its size, 100
   * unless given. What is added or removed meanwhile may be missed or come twice.
   *
   * `GET /api/domains`. Needs an administrator's token. An API token needs `domains:read`.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  all(input?: DomainListRequest, options?: CallOptions): AsyncGenerator<Domain, void, undefined>;
  /**
   * Reads a domain.
   *
   * `GET /api/domains/{id}`. Needs an administrator's token. An API token needs `domains:read`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  get(input: DomainGetRequest, options?: CallOptions): Call<Domain>;
  /**
   * Looks up where the name leads, at most every five seconds, and says where it should.
   *
   * `GET /api/domains/{id}/dns`. Needs an administrator's token. An API token needs `domains:read`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  dns(input: DomainDnsRequest, options?: CallOptions): Call<DomainDns>;
  /**
   * Adds a domain; unless validation is skipped it must point to this gateway.
   *
   * `POST /api/domains`. Needs an administrator's token. An API token needs `domains:write`.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  create(input: DomainCreateRequest, options?: CallOptions): Call<Domain>;
  /**
   * Changes a domain. `skipValidation: true` alone makes its certificate self-signed, `ssl: certbot` alone turns validation on. When authentication is turned off its protected services answer 503, unless `publish` is true.
   *
   * `PATCH /api/domains/{id}`. Needs an administrator's token. An API token needs `domains:write`.
   *
   * @param input `params`, `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  update(input: DomainUpdateRequest, options?: CallOptions): Call<Domain>;
  /**
   * Deletes a domain and the services that are reached by it.
   *
   * `DELETE /api/domains/{id}`. Needs an administrator's token. An API token needs `domains:write` and `services:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  remove(input: DomainRemoveRequest, options?: CallOptions): Call<string>;
}

/** Services of both kinds. */
export interface ServiceCalls {
  /**
   * Lists the services of both kinds and all nodes; `search` looks into name, address, backend, the name of the node, tags and notes.
   *
   * `GET /api/services`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  list(input?: ServiceListRequest, options?: CallOptions): Call<Page<ListedHttpService | ListedTcpService>>;
  /**
   * Every row of all pages, for a `for await` loop; a page is read when it is needed. `query.limit` is its size, 100
   * unless given. What is added or removed meanwhile may be missed or come twice.
   *
   * `GET /api/services`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  all(
    input?: ServiceListRequest,
    options?: CallOptions,
  ): AsyncGenerator<ListedHttpService | ListedTcpService, void, undefined>;
}

/** HTTP services. */
export interface HttpServiceCalls {
  /**
   * Lists the HTTP services of all nodes, of a domain, or of a node.
   *
   * `GET /api/services/http`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  listAll(input?: HttpServiceListAllRequest, options?: CallOptions): Call<Page<HttpService>>;
  /**
   * Every row of all pages, for a `for await` loop; a page is read when it is needed. `query.limit` is its size, 100
   * unless given. What is added or removed meanwhile may be missed or come twice.
   *
   * `GET /api/services/http`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  all(input?: HttpServiceListAllRequest, options?: CallOptions): AsyncGenerator<HttpService, void, undefined>;
  /**
   * Streams the page of HTTP services that the query asks for, whole, whenever it changes.
   *
   * `GET /api/services/http/stream`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `query`
   * @param options how the stream is read
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  watch(input?: HttpServiceWatchRequest, options?: WatchOptions): EventStream<Page<HttpService>>;
  /**
   * Lists the HTTP services of a node.
   *
   * `GET /api/services/{nodeId}/http`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `params`, `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  list(input: HttpServiceListRequest, options?: CallOptions): Call<Page<HttpService>>;
  /**
   * Reads an HTTP service.
   *
   * `GET /api/services/{nodeId}/http/{id}`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  get(input: HttpServiceGetRequest, options?: CallOptions): Call<HttpService>;
  /**
   * Asks the backend whether it answers: 200, or 400 with the reason.
   *
   * `GET /api/services/{nodeId}/http/{id}/ping`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `params`, `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  ping(
    input: HttpServicePingRequest,
    options?: CallOptions,
  ): Call<{
    /** 200. */
    status: number;
  }>;
  /**
   * Exposes a web server of the node; the answer comes when visitors can reach it.
   *
   * `POST /api/services/{nodeId}/http`. Needs an administrator's token. An API token needs `services:write`.
   *
   * @param input `params`, `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  create(input: HttpServiceCreateRequest, options?: CallOptions): Call<SavedHttpService>;
  /**
   * Changes an HTTP service; fields that are left out stay as they are.
   *
   * `PATCH /api/services/{nodeId}/http/{id}`. Needs an administrator's token. An API token needs `services:write`.
   *
   * @param input `params`, `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  update(input: HttpServiceUpdateRequest, options?: CallOptions): Call<SavedHttpService>;
  /**
   * Opens the service to visitors, without a time to live.
   *
   * `PATCH /api/services/{nodeId}/http/{id}/enable`. Needs an administrator's token. An API token needs `services:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  enable(input: HttpServiceEnableRequest, options?: CallOptions): Call<HttpService>;
  /**
   * Closes the service to visitors.
   *
   * `PATCH /api/services/{nodeId}/http/{id}/disable`. Needs an administrator's token. An API token needs `services:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  disable(input: HttpServiceDisableRequest, options?: CallOptions): Call<HttpService>;
  /**
   * Deletes the service.
   *
   * `DELETE /api/services/{nodeId}/http/{id}`. Needs an administrator's token. An API token needs `services:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  remove(input: HttpServiceRemoveRequest, options?: CallOptions): Call<string>;
}

/** TCP and UDP services. */
export interface TcpServiceCalls {
  /**
   * Lists the TCP and UDP services of all nodes, of a domain, or of a node.
   *
   * `GET /api/services/tcp`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  listAll(input?: TcpServiceListAllRequest, options?: CallOptions): Call<Page<TcpService>>;
  /**
   * Every row of all pages, for a `for await` loop; a page is read when it is needed. `query.limit` is its size, 100
   * unless given. What is added or removed meanwhile may be missed or come twice.
   *
   * `GET /api/services/tcp`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  all(input?: TcpServiceListAllRequest, options?: CallOptions): AsyncGenerator<TcpService, void, undefined>;
  /**
   * Streams the page of TCP and UDP services that the query asks for, whole, whenever it changes.
   *
   * `GET /api/services/tcp/stream`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `query`
   * @param options how the stream is read
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  watch(input?: TcpServiceWatchRequest, options?: WatchOptions): EventStream<Page<TcpService>>;
  /**
   * Lists the TCP and UDP services of a node.
   *
   * `GET /api/services/{nodeId}/tcp`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `params`, `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  list(input: TcpServiceListRequest, options?: CallOptions): Call<Page<TcpService>>;
  /**
   * Reads a TCP or UDP service.
   *
   * `GET /api/services/{nodeId}/tcp/{id}`. Needs an administrator's token. An API token needs `services:read`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  get(input: TcpServiceGetRequest, options?: CallOptions): Call<TcpService>;
  /**
   * Exposes a TCP or UDP port of the node; the answer comes when it is open.
   *
   * `POST /api/services/{nodeId}/tcp`. Needs an administrator's token. An API token needs `services:write`.
   *
   * @param input `params`, `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  create(input: TcpServiceCreateRequest, options?: CallOptions): Call<SavedTcpService>;
  /**
   * Changes a TCP or UDP service; fields that are left out stay as they are.
   *
   * `PATCH /api/services/{nodeId}/tcp/{id}`. Needs an administrator's token. An API token needs `services:write`.
   *
   * @param input `params`, `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  update(input: TcpServiceUpdateRequest, options?: CallOptions): Call<SavedTcpService>;
  /**
   * Opens the port, without a time to live.
   *
   * `PATCH /api/services/{nodeId}/tcp/{id}/enable`. Needs an administrator's token. An API token needs `services:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  enable(input: TcpServiceEnableRequest, options?: CallOptions): Call<TcpService>;
  /**
   * Closes the port.
   *
   * `PATCH /api/services/{nodeId}/tcp/{id}/disable`. Needs an administrator's token. An API token needs `services:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  disable(input: TcpServiceDisableRequest, options?: CallOptions): Call<TcpService>;
  /**
   * Deletes the service.
   *
   * `DELETE /api/services/{nodeId}/tcp/{id}`. Needs an administrator's token. An API token needs `services:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  remove(input: TcpServiceRemoveRequest, options?: CallOptions): Call<string>;
}

/** Access tokens of nodes. */
export interface TokenCalls {
  /**
   * Lists a node's access tokens.
   *
   * `GET /api/nodes/{id}/pats`. Needs an administrator's token. An API token needs `tokens:read`.
   *
   * @param input `params`, `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  list(input: TokenListRequest, options?: CallOptions): Call<Page<Token>>;
  /**
   * Every row of all pages, for a `for await` loop; a page is read when it is needed. `query.limit` is its size, 100
   * unless given. What is added or removed meanwhile may be missed or come twice.
   *
   * `GET /api/nodes/{id}/pats`. Needs an administrator's token. An API token needs `tokens:read`.
   *
   * @param input `params`, `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  all(input: TokenListRequest, options?: CallOptions): AsyncGenerator<Token, void, undefined>;
  /**
   * Makes an access token; its secret is in this answer and nowhere else.
   *
   * `POST /api/nodes/{id}/pats`. Needs an administrator's token. An API token needs `tokens:write`.
   *
   * @param input `params`, `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  create(input: TokenCreateRequest, options?: CallOptions): Call<CreatedToken>;
  /**
   * Refuses the token from now on; a tunnel that is up stays up.
   *
   * `PATCH /api/nodes/{id}/pats/{tokenId}/revoke`. Needs an administrator's token. An API token needs `tokens:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  revoke(input: TokenRevokeRequest, options?: CallOptions): Call<Token>;
  /**
   * Deletes the token.
   *
   * `DELETE /api/nodes/{id}/pats/{tokenId}`. Needs an administrator's token. An API token needs `tokens:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  remove(input: TokenRemoveRequest, options?: CallOptions): Call<string>;
}

/** Lines of the access log. */
export interface LogCalls {
  /**
   * Streams the last 100 lines, or as many as `lines` says, of a domain or a service, then each new one. With `Last-Event-ID` it continues after that event; when that event is no longer known, `x-stream-restarted: true` says that the stream starts again with the history. A node's own token sees the services of that node.
   *
   * `GET /api/logs/stream`. Needs an administrator's token, or a node's access token. An API token needs `logs:read`.
   *
   * @param input `query`
   * @param options how the stream is read
   * @throws {ApiError} of the kinds `unauthorized`, `missing`, `invalid`, `throttled`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  watch(input: LogWatchRequest, options?: WatchOptions): EventStream<string[]>;
}

/** The gateway itself. */
export interface SystemCalls {
  /**
   * Reads the settings that clients need.
   *
   * `GET /api/config`. Needs an administrator's token, or a node's access token. An API token needs no right.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  config(input?: {}, options?: CallOptions): Call<GatewayConfig>;
  /**
   * This interface as an OpenAPI 3.1 document.
   *
   * `GET /api/openapi.json`. Needs no token.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `server`, `unreachable`, `untrusted`, `mismatch`
   */
  openapi(input?: {}, options?: CallOptions): Call<Record<string, unknown>>;
  /**
   * Says when `sallyport-gateway backup` was last used, and where that backup is.
   *
   * `GET /api/backup`. Needs an administrator's token.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  backup(
    input?: {},
    options?: CallOptions,
  ): Call<{
    /** The backup that was made last; null: none is known of. */
    last: LastBackup | null;
  }>;
  /**
   * Says whether the gateway, its ingress, its tunnel and its database work; 503 when one of them does not.
   *
   * `GET /healthz`. Needs no token.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `server`, `unreachable`, `untrusted`, `mismatch`
   */
  health(input?: {}, options?: CallOptions): Call<HealthReport>;
}

/** Join keys, by which hosts join without a password. */
export interface JoinKeyCalls {
  /**
   * Lists the join keys.
   *
   * `GET /api/join-keys`. Needs an administrator's token. An API token needs `tokens:read`.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  list(input?: JoinKeyListRequest, options?: CallOptions): Call<Page<JoinKey>>;
  /**
   * Every row of all pages, for a `for await` loop; a page is read when it is needed. `query.limit` is its size, 100
   * unless given. What is added or removed meanwhile may be missed or come twice.
   *
   * `GET /api/join-keys`. Needs an administrator's token. An API token needs `tokens:read`.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  all(input?: JoinKeyListRequest, options?: CallOptions): AsyncGenerator<JoinKey, void, undefined>;
  /**
   * Makes a join key; its code is in this answer and nowhere else, with the line by which a host joins.
   *
   * `POST /api/join-keys`. Needs an administrator's token. An API token needs `nodes:write` and `tokens:write`.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  create(input: JoinKeyCreateRequest, options?: CallOptions): Call<CreatedJoinKey>;
  /**
   * Deletes the join key: no host can join with it any more.
   *
   * `DELETE /api/join-keys/{id}`. Needs an administrator's token. An API token needs `tokens:write`.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  remove(input: JoinKeyRemoveRequest, options?: CallOptions): Call<string>;
  /**
   * Makes the caller a node by the code of a join key: answers the node and an access token of its own.
   *
   * `POST /api/join`. Needs no token.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  redeem(input: JoinKeyRedeemRequest, options?: CallOptions): Call<CreatedNode>;
}

/** Tokens for programs, with a part of the administrator's rights. */
export interface ApiTokenCalls {
  /**
   * Lists the API tokens.
   *
   * `GET /api/tokens`. Needs an administrator's token.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  list(input?: ApiTokenListRequest, options?: CallOptions): Call<Page<ApiToken>>;
  /**
   * Every row of all pages, for a `for await` loop; a page is read when it is needed. `query.limit` is its size, 100
   * unless given. What is added or removed meanwhile may be missed or come twice.
   *
   * `GET /api/tokens`. Needs an administrator's token.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  all(input?: ApiTokenListRequest, options?: CallOptions): AsyncGenerator<ApiToken, void, undefined>;
  /**
   * Makes an API token; its secret is in this answer and nowhere else.
   *
   * `POST /api/tokens`. Needs an administrator's token.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  create(input: ApiTokenCreateRequest, options?: CallOptions): Call<CreatedApiToken>;
  /**
   * Deletes an API token: it is refused from now on, and its streams end.
   *
   * `DELETE /api/tokens/{id}`. Needs an administrator's token.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  remove(input: ApiTokenRemoveRequest, options?: CallOptions): Call<string>;
}

/** The name or address by which hosts and visitors are told to reach the gateway. */
export interface PublicAddressCalls {
  /**
   * Says by which address others are told to reach the gateway, and why.
   *
   * `GET /api/public-address`. Needs an administrator's token.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  get(input?: {}, options?: CallOptions): Call<PublicAddress>;
  /**
   * Changes the public address from the next start of the gateway on. Refused where the environment says it.
   *
   * `PATCH /api/public-address`. Needs an administrator's token.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  change(input: PublicAddressChangeRequest, options?: CallOptions): Call<PublicAddress>;
}

/** The settings of the gateway and its features. */
export interface SettingsCalls {
  /**
   * Reads the settings, where each comes from, and which features run.
   *
   * `GET /api/settings`. Needs an administrator's token.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  get(input?: {}, options?: CallOptions): Call<GatewaySettings>;
  /**
   * Asks the configured identity provider or certificate authority for what it says of itself, and says what is wrong.
   *
   * `POST /api/settings/test`. Needs an administrator's token.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  test(input: SettingsTestRequest, options?: CallOptions): Call<SettingTest>;
  /**
   * Sets up the identity provider of the visitors at once. Visitors of another one have to sign in again. Refused where the environment says a part of it.
   *
   * `PATCH /api/settings/identity-provider`. Needs an administrator's token.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  changeProvider(input?: SettingsChangeProviderRequest, options?: CallOptions): Call<GatewaySettings>;
  /**
   * Sets the certificate authority at once: domains get certificates of another one soon. Refused where the environment says a part of it.
   *
   * `PATCH /api/settings/certificate-authority`. Needs an administrator's token.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  changeAuthority(input?: SettingsChangeAuthorityRequest, options?: CallOptions): Call<GatewaySettings>;
}

/** Changes of many objects in one call. */
export interface BulkCalls {
  /**
   * Enables, disables, tags, limits or deletes many services: each by itself is done or refused, and nginx loads once.
   *
   * `POST /api/services/bulk`. Needs an administrator's token. An API token needs `services:write`.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  services(input: BulkServicesRequest, options?: CallOptions): Call<BulkReply>;
}

/** The calls of a node's own access token: each acts on that node alone. */
export interface CliCalls {
  /**
   * Reads the token's node and its services.
   *
   * `GET /api/cli/node`. Needs a node's access token.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  node(input?: CliNodeRequest, options?: CallOptions): Call<OwnNode>;
  /**
   * The node's WireGuard configuration as one text.
   *
   * `GET /api/cli/config`. Needs a node's access token.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  config(input?: {}, options?: CallOptions): Call<string>;
  /**
   * The node's WireGuard configuration in parts.
   *
   * `GET /api/cli/wgconfig`. Needs a node's access token.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  wgconfig(input?: {}, options?: CallOptions): Call<WgConfig>;
  /**
   * Changes the subnet behind the node; only for gateways.
   *
   * `PATCH /api/cli/node/gateway`. Needs a node's access token.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `invalid`, `throttled`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  gateway(input: CliGatewayRequest, options?: CallOptions): Call<Node>;
  /**
   * Lists the node's HTTP services.
   *
   * `GET /api/cli/services/http`. Needs a node's access token.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  listHttp(input?: CliListHttpRequest, options?: CallOptions): Call<Page<HttpService>>;
  /**
   * Every row of all pages, for a `for await` loop; a page is read when it is needed. `query.limit` is its size, 100
   * unless given. What is added or removed meanwhile may be missed or come twice.
   *
   * `GET /api/cli/services/http`. Needs a node's access token.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  allHttp(input?: CliListHttpRequest, options?: CallOptions): AsyncGenerator<HttpService, void, undefined>;
  /**
   * Lists the node's TCP and UDP services.
   *
   * `GET /api/cli/services/tcp`. Needs a node's access token.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  listTcp(input?: CliListTcpRequest, options?: CallOptions): Call<Page<TcpService>>;
  /**
   * Every row of all pages, for a `for await` loop; a page is read when it is needed. `query.limit` is its size, 100
   * unless given. What is added or removed meanwhile may be missed or come twice.
   *
   * `GET /api/cli/services/tcp`. Needs a node's access token.
   *
   * @param input `query`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `unauthorized`, `invalid`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  allTcp(input?: CliListTcpRequest, options?: CallOptions): AsyncGenerator<TcpService, void, undefined>;
  /**
   * Exposes a web server of the node; its service of that name, if there is one, is changed and opened.
   *
   * `POST /api/cli/expose/http`. Needs a node's access token.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `invalid`, `throttled`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  exposeHttp(input: CliExposeHttpRequest, options?: CallOptions): Call<SavedHttpService>;
  /**
   * Exposes a TCP or UDP port of the node; its service of that name, if there is one, is changed and opened.
   *
   * `POST /api/cli/expose/tcp`. Needs a node's access token.
   *
   * @param input `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `invalid`, `throttled`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  exposeTcp(input: CliExposeTcpRequest, options?: CallOptions): Call<SavedTcpService>;
  /**
   * Changes an HTTP service of the node; fields that are left out stay as they are.
   *
   * `PATCH /api/cli/services/http/{id}`. Needs a node's access token.
   *
   * @param input `params`, `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `throttled`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  updateHttp(input: CliUpdateHttpRequest, options?: CallOptions): Call<SavedHttpService>;
  /**
   * Changes a TCP or UDP service of the node; fields that are left out stay as they are.
   *
   * `PATCH /api/cli/services/tcp/{id}`. Needs a node's access token.
   *
   * @param input `params`, `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `throttled`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  updateTcp(input: CliUpdateTcpRequest, options?: CallOptions): Call<SavedTcpService>;
  /**
   * Opens an HTTP service of the node, with or without a time to live.
   *
   * `PATCH /api/cli/services/http/{id}/enable`. Needs a node's access token.
   *
   * @param input `params`, `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `throttled`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  enableHttp(input: CliEnableHttpRequest, options?: CallOptions): Call<HttpService>;
  /**
   * Closes an HTTP service of the node.
   *
   * `PATCH /api/cli/services/http/{id}/disable`. Needs a node's access token.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `throttled`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  disableHttp(input: CliDisableHttpRequest, options?: CallOptions): Call<HttpService>;
  /**
   * Opens a TCP service of the node, with or without a time to live.
   *
   * `PATCH /api/cli/services/tcp/{id}/enable`. Needs a node's access token.
   *
   * @param input `params`, `body`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `throttled`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  enableTcp(input: CliEnableTcpRequest, options?: CallOptions): Call<TcpService>;
  /**
   * Closes a TCP service of the node.
   *
   * `PATCH /api/cli/services/tcp/{id}/disable`. Needs a node's access token.
   *
   * @param input `params`
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `missing`, `conflict`, `invalid`, `throttled`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  disableTcp(input: CliDisableTcpRequest, options?: CallOptions): Call<TcpService>;
  /**
   * New keys and a new access token for the node; the old ones die. The new token ends when the one that asks would have ended.
   *
   * `PATCH /api/cli/regenerate`. Needs a node's access token.
   *
   * @param input nothing; there for the sake of the options
   * @param options a signal, a time limit and the like
   * @throws {ApiError} of the kinds `rejected`, `unauthorized`, `conflict`, `throttled`, `server`, `unreachable`, `untrusted`, `mismatch`
   */
  regenerate(input?: {}, options?: CallOptions): Call<CreatedNode>;
}

/** A method for each endpoint of a gateway: `client.node.list(…)`, `client.httpService.create(…)`. */
export interface Calls {
  /** Signing in and out, and the password. */
  readonly session: SessionCalls;
  /** Nodes: the hosts that have a tunnel to the gateway. */
  readonly node: NodeCalls;
  /** Domain names. */
  readonly domain: DomainCalls;
  /** Services of both kinds. */
  readonly service: ServiceCalls;
  /** HTTP services. */
  readonly httpService: HttpServiceCalls;
  /** TCP and UDP services. */
  readonly tcpService: TcpServiceCalls;
  /** Access tokens of nodes. */
  readonly token: TokenCalls;
  /** Lines of the access log. */
  readonly log: LogCalls;
  /** The gateway itself. */
  readonly system: SystemCalls;
  /** Join keys, by which hosts join without a password. */
  readonly joinKey: JoinKeyCalls;
  /** Tokens for programs, with a part of the administrator's rights. */
  readonly apiToken: ApiTokenCalls;
  /** The name or address by which hosts and visitors are told to reach the gateway. */
  readonly publicAddress: PublicAddressCalls;
  /** The settings of the gateway and its features. */
  readonly settings: SettingsCalls;
  /** Changes of many objects in one call. */
  readonly bulk: BulkCalls;
  /** The calls of a node's own access token: each acts on that node alone. */
  readonly cli: CliCalls;
}
