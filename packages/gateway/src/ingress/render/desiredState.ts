import type {
  Domain,
  HttpService,
  httpServiceAttributes,
  TcpService,
  tcpServiceAttributes,
} from '@sallyport/sdk/contract';

/** A certificate chain and its private key, as absolute paths of PEM files. */
export type CertificateFiles = { certificate: string; key: string };

/**
 * Whose services a name leads to: those of the gateway's own machine alone, of one other node alone, or of several.
 */
export type Users = 'gateway' | 'node' | 'several';

/** A domain that nginx answers for. */
export type DesiredDomain = Pick<Domain, 'id' | 'domain'> & {
  certificate: CertificateFiles;
  /** Everything under it answers 503. */
  closed: boolean;
  /** For how many seconds browsers are to come by HTTPS alone; 0: not any more; null: nothing is said of it. */
  hsts: number | null;
  /** Its services may ask visitors to sign in. */
  signIn: boolean;
  users: Users;
};

/** What an administrator says about an HTTP service, and what the gateway found out about it. */
export type DesiredHttpService = Pick<
  HttpService,
  keyof typeof httpServiceAttributes | 'id' | 'enabled' | 'builtin'
> & {
  /** Where the backend is, as IP addresses: nginx never resolves. */
  addresses: readonly string[];
  /** The number of the node behind the tunnel; null: it is the gateway's own machine. */
  remoteNode: number | null;
  /** The address of this machine from which the backend is reached; null: whichever the machine takes. */
  sourceAddress: string | null;
  /** Answers 503 although it is enabled. */
  closed: boolean;
};

/** What an administrator says about a TCP or UDP service, and what the gateway found out about it. */
export type DesiredTcpService = Pick<
  TcpService,
  keyof typeof tcpServiceAttributes | 'id' | 'nodeId' | 'port' | 'enabled'
> & {
  /** Where the backend is, as IP addresses: nginx never resolves. */
  addresses: readonly string[];
  /** The address of this machine from which the backend is reached; null: whichever the machine takes. */
  sourceAddress: string | null;
  /** No one listens on its port although it is enabled. */
  closed: boolean;
};

/** All that the ingress is rendered from. */
export type DesiredState = {
  domains: readonly DesiredDomain[];
  httpServices: readonly DesiredHttpService[];
  tcpServices: readonly DesiredTcpService[];
};

/** The places and accounts of one nginx; paths are absolute. */
export type NginxLayout = {
  /** The word that becomes the generation's number when it is applied. */
  generationMark: string;
  tmp: string;
  acme: string;
  /** On which nginx reaches the gateway itself. */
  gatewaySocket: string;
  statusSocket: string;
  accessLog: string;
  errorLog: string;
  pidFile: string;
  /** Null: the workers keep the account of the master. */
  workerUser: { name: string } | null;
  /** The module to load for TCP and UDP; null when it is built in. */
  streamModule: string | null;
  /** The module to load that takes headers out of requests; null: there is none. */
  headersModule: string | null;
  /** Whether this nginx can close a connection in one direction alone. */
  hasHalfClose: boolean;
};

/** What all generations of one gateway have in common. */
export type RenderOptions = {
  layout: NginxLayout;
  /** Where visitors arrive, as `listen` takes it: `0.0.0.0`, `[::]`. */
  listen: readonly string[];
  ports: { http: number; https: number; console: number };
  /** The port by which visitors reach HTTPS: another one where something in front passes it on. */
  publicHttpsPort: number;
  /** Addresses and networks of proxies in front, whose word on the visitor counts. */
  trustedProxies: readonly string[];
  /** The name or address by which visitors are told to reach the gateway. */
  publicHost: string;
  /** The names to which services without a domain answer, in lower case, besides addresses and loopback names. */
  answersTo: readonly string[];
  /**
   * The names of services without a domain also answer what the command line of Wiredoor asks: nodes that came from there call
   * where its console was.
   */
  wiredoorClients: boolean;
  /** How many worker processes share the work. */
  workers: number;
  /** How many connections each of them has room for. */
  connections: number;
  /** For the console's own port. */
  certificate: CertificateFiles;
  /**
   * For services without a domain. It is never the one above: who trusts the console, a browser or a host that pins its
   * key, would trust the service of a node, and a forgotten port in the console's address would lead there.
   */
  servicesCertificate: CertificateFiles;
};

/** One file of a generation; the path is relative to its directory. */
export type ConfigFile = { path: string; text: string };

/** The kinds of object that a configuration is made of. */
export type OwnerKind = 'domain' | 'httpService' | 'tcpService';

/**
 * Whose fault it is when nginx complains about these lines (counted from 1, both included), about this file, or that it
 * cannot have this address (as `listen` takes it).
 */
export type Owner = { kind: OwnerKind; id: number } & (
  | { file: string; from: number; to: number }
  | { path: string }
  | { address: string }
);

/**
 * An object that could not be rendered as saved; it is closed, or left out when even that is impossible. `own` is false
 * when only another object's fault is in its way.
 */
export type RenderFault = { kind: OwnerKind; id: number; reason: string; own: boolean };

/** A generation, and what is needed to tell whose fault it is when nginx refuses it. */
export type Rendered = { files: ConfigFile[]; owners: Owner[]; faults: RenderFault[] };
