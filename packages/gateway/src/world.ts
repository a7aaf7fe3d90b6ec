import type {
  AddressCandidate,
  AddressSource,
  Domain,
  DomainDns,
  GatewayNetwork,
  HttpService,
  LastBackup,
  Node,
  NodeStatus,
  PublicAddress,
  SettingTest,
  TestedService,
  UnavailableFeature,
  WgConfig,
} from '@sallyport/sdk/contract';
import type { NodeRow, Outcome } from './store/rows.ts';
import type { AuthoritySettings } from './certificates/certificateIssuer.ts';
import type { ProviderSettings, SignInState } from './signin/provider.ts';
import type { Transaction } from './store/transaction.ts';

/**
 * Changes the database in one transaction, and waits until the world serves the change. When the world refuses it, it fails
 * with 400, and the rows are as before unless the message says that they stay. Within `work` only the transaction may be
 * read. A part of it (`Transaction.part`) that cannot be served is taken back alone, and says so.
 */
export type Write = <T>(
  work: (tx: Transaction) => Promise<T>,
  /** What a repeated request must know of this one (`api/idempotency.ts`), kept in the same transaction. */
  outcome?: (value: T) => Outcome,
) => Promise<T>;

/** The kinds of object that the outside world is made of; each one's row can be at fault on its own. */
export type ObjectKind = 'node' | 'domain' | 'httpService' | 'tcpService';

/** The kinds of object that lead to a backend. */
export type ServiceKind = Extract<ObjectKind, 'httpService' | 'tcpService'>;

/** Whether a backend answers; `healthReason` says in a sentence why it is down, else it is null. */
export type Health = Pick<HttpService, 'health' | 'healthReason'>;

/** What the tunnel knows about a node. */
export type NodeRuntime = {
  status: NodeStatus;
  clientIp: string | null;
  /** Milliseconds since 1970. */
  latestHandshakeTimestamp: number | null;
  /** Bytes. */
  transferRx: number | null;
  transferTx: number | null;
};

/** Whose lines. */
export type LineKey = { kind: 'domain' | 'http' | 'tcp'; id: number };

/** Where a log is read from: behind the line `afterId`, when it is kept; else from its last `count` lines. */
export type LineStart = {
  count: number;
  afterId: string | null;
  /** Each line has a second one below it: what else is known, as JSON (`LogDetails`). */
  withDetails?: boolean;
};

/** Where a reader puts lines. */
export type LineSink = {
  /** @param id names the last of the lines, or the one before if there are none, also after a restart */
  push(lines: string[], id: string): void;
  /** Fulfilled when there is room for more; null: there is. Lines that come meanwhile can be read later. */
  room(): Promise<void> | null;
  /** The lines to go on with are not kept any more, or cannot be read. */
  end(): void;
};

/** One reader of a log, at the place where it begins. */
export type LineReader = {
  /** It begins behind the line that it named; false when that line is not kept, or none was named. */
  resumed: boolean;
  /**
   * Puts in what is kept from there on, and then each new line, until it is stopped by what this returns. Unless it is
   * resumed, the first lines come as one batch, also when there are none.
   */
  read(sink: LineSink): () => void;
};

/** A node's WireGuard keys; the private parts are sealed and can be opened only by the tunnel. */
export type SealedNodeKeys = {
  publicKey: string;
  sealedPrivateKey: string;
  sealedPresharedKey: string;
};

/** What of a node's row its configuration is made of. */
export type ConfiguredNode = Pick<Node, 'id' | 'address' | 'dns' | 'keepalive' | 'allowInternet' | 'isGateway'> & {
  gatewayNetworks: GatewayNetwork[] | null;
  sealedPrivateKey: string | null;
  sealedPresharedKey: string | null;
};

/** A node's WireGuard configuration with its private keys, or why there is none, in a sentence. */
export type NodeConfiguration =
  | {
      parts: WgConfig;
      /** A file for `wg-quick`, under a name that it takes. */
      fileName: string;
      text: string;
      /** For WireGuard's apps, which refuse a file with commands. */
      appText: string;
    }
  | { problem: string };

/** A network to which the gateway's own machine sends packets without the tunnel; IPv4, as CIDR. */
export type LocalRoute = { network: string; device: string };

/** An IPv4 address that the gateway's own machine cannot do without; `use` names it: `a DNS server of this machine`. */
export type UsedAddress = { address: string; use: string };

/** The time, and a call when it has come. Tests turn its hands themselves. */
export type Clock = {
  now(): Date;
  /** Calls `ring` once, at that time or as soon after it as can be; returns the way to give it up. */
  wake(at: Date, ring: () => void): () => void;
};

/** The certificate of a domain: what is on its way, in a sentence, and when the one that is wanted ends, ISO 8601, UTC. */
export type CertificateState = Pick<Domain, 'pending' | 'certificateEndsAt'>;

/** What came of a test of something that others run. */
export type TestResult = SettingTest;

/** What handlers and streams may ask of the world outside the database. `system` and `reconcile` make it true. */
export type World = {
  now(): Date;
  /** Why an object cannot be served as saved, in a sentence; null when it is. */
  problem(kind: ObjectKind, id: number): string | null;
  /** How the certificate of a domain is that is served. */
  certificate(domainId: number): CertificateState;
  nodeRuntime(nodeId: number): NodeRuntime;
  /**
   * Whether the backend of a service answers, as it was found when it was last asked. `unknown` for a service that is
   * disabled, that cannot be asked (UDP), or whose backend plays no part in why it is closed; a node without a tunnel
   * is a backend that is down.
   */
  health(kind: ServiceKind, id: number): Health;
  /** Fulfilled when `health` tells of a service as it was just saved, or shortly after when its backend is slow. */
  probed(kind: ServiceKind, id: number): Promise<void>;
  /**
   * Asks the backend of a service now, unless it was asked within the last second; fulfilled with what it answered, or
   * after three seconds with what was known before.
   */
  asked(kind: ServiceKind, id: number): Promise<Health>;
  /** Calls back when `problem` or `health` may answer something new; returns the way to stop. */
  onFindings(listener: () => void): () => void;
  /** Calls back when `nodeRuntime` may answer something new; nodes are looked at each second while a client listens. */
  onNodeRuntime(listener: () => void): () => void;
  lines: {
    open(key: LineKey, from: LineStart): Promise<LineReader>;
    /** The time of the last line that is kept of each, in milliseconds since 1970; null: there is none. */
    lastTimes(keys: readonly LineKey[]): (number | null)[];
  };
  /** Whether no process of this machine listens on a port, nginx included; it must not be asked within a transaction. */
  portIsFree(proto: 'tcp' | 'udp', port: number): Promise<boolean>;
  /** Where the DNS leads the visitors of domains. */
  dns: {
    /** Looks a name up, unless that was done within the last two seconds. */
    check(domain: string): Promise<DomainDns>;
    /** What was found last. Where that is more than an hour ago, or never, it is looked up in the background. */
    last(domain: string): Pick<Domain, 'dnsState' | 'dnsCheckedAt'>;
  };
  /** By what others may reach the gateway's machine, as far as it knows. Its name servers are asked, and no one else. */
  publicAddress: {
    report(chosen: { host: string; source: AddressSource }): Promise<Pick<PublicAddress, 'warnings' | 'facts'>>;
    /** The most likely first. */
    candidates(): Promise<AddressCandidate[]>;
  };
  /** Whether certificates can be had from a certificate authority; if not, why. */
  certificateIssuer(): { available: true } | { available: false; reason: string };
  /** Whether a certificate of an authority is kept for a name that has not ended. */
  hasCertificate(domain: string): Promise<boolean>;
  /**
   * Fulfilled when a domain as it was just saved has its certificate, or `problem` says why not; or shortly after when
   * the authority takes its time.
   */
  certified(domainId: number): Promise<void>;
  /** Whether visitors can be asked to sign in; if not, why. */
  signIn(): SignInState;
  /** It must not be asked within a transaction. */
  localRoutes(): Promise<LocalRoute[]>;
  /** It must not be asked within a transaction. */
  usedAddresses(): Promise<UsedAddress[]>;
  /**
   * Addresses and networks in the tunnel to which nginx may connect, now or soon, for nodes that have them no more.
   * @param asking the number of the node that wants to have them; null: it is new
   */
  leftBehind(nodes: readonly NodeRow[], asking: number | null): string[];
  /** The number that a Wiredoor server, whose nodes were taken over, gave an access token of its own; null: it is none. */
  wiredoorTokenId(token: string): Promise<number | null>;
  newNodeKeys(): SealedNodeKeys;
  /** SHA-256 of the public key of the console's certificate, base64. */
  consoleKeyPin(): Promise<string>;
  nodeConfiguration(node: ConfiguredNode): NodeConfiguration;
  ingress(): { up: boolean; generation: number };
  /** How the tunnel is: `off` where this machine has none, `down` where it should work and does not. */
  tunnel(): 'up' | 'off' | 'down';
  /** The backup that was made last; null: none is known of. */
  lastBackup(): LastBackup | null;
  /** Asks a service of others that the gateway depends on, at its configured address. Bounded in time and size; it never fails. */
  test(service: TestedService): Promise<TestResult>;
  /** What is set of the services of others, and the way to set it while the gateway runs. */
  liveSettings: {
    provider(): ProviderSettings<object>;
    authority(): AuthoritySettings;
    /** Whether the environment says a part of it, so that only there it can be changed. */
    isFixed(service: TestedService): boolean;
    /** Stores other settings, which count when they are applied. Without a secret the one that counts now stays. */
    keepProvider(tx: Transaction, provider: ProviderSettings<string>): Promise<void>;
    keepAuthority(tx: Transaction, authority: AuthoritySettings): Promise<void>;
    /** Fulfilled when what is stored counts: for visitors, and for the certificates that are asked for from now on. */
    apply(): Promise<void>;
  };
  /** What does not run, why, and how to turn it on. */
  unavailable(): UnavailableFeature[];
};
