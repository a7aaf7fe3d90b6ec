import type { Generated } from 'kysely';
import type {
  ApiToken,
  BulkResult,
  Domain,
  HttpService,
  JoinKey,
  Node,
  TcpService,
  Token,
} from '@sallyport/sdk/contract';

// Rows are derived from the contract: a field that is added there is stored as soon as a migration gives it a column.

type Own<Entity, Computed extends keyof Entity> = Omit<Entity, Computed | 'created_at' | 'updated_at'> & {
  /** ISO 8601, UTC. */
  createdAt: string;
  updatedAt: string;
};

/** What the gateway finds out at run time and therefore never stores. */
type ServiceFindings = 'publicAccess' | 'health' | 'healthReason' | 'problem';

/** A node as it is stored. The private parts of its keys are sealed. */
export type NodeRow = Own<
  Node,
  'status' | 'clientIp' | 'latestHandshakeTimestamp' | 'transferRx' | 'transferTx' | 'problem' | 'gatewayNetwork'
> & {
  /** Null for the local node alone. */
  publicKey: string | null;
  sealedPrivateKey: string | null;
  sealedPresharedKey: string | null;
};

/** What WireGuard counted for a node, bytes; the totals go on where an interface that is gone left them. */
export type NodeTrafficRow = {
  nodeId: number;
  /** Another key is another count. */
  publicKey: string;
  totalRx: number;
  totalTx: number;
  /** What the interface itself had counted when the totals were written. */
  counterRx: number;
  counterTx: number;
  /** Where the node was last. */
  endpoint: string | null;
  /** Milliseconds since 1970. */
  handshakeAt: number | null;
};

export type DomainRow = Own<
  Domain,
  'problem' | 'publicAccess' | 'pending' | 'certificateEndsAt' | 'dnsState' | 'dnsCheckedAt'
> & {
  /** It was made for the service of a node, and no administrator has saved it since. */
  cameWithService: boolean;
};

export type HttpServiceRow = Own<HttpService, ServiceFindings | 'ssl'>;

export type TcpServiceRow = Own<TcpService, ServiceFindings>;

/** A node's access token; its secret is stored as a SHA-256 hash only. */
export type TokenRow = Own<Token, never> & { tokenHash: string };

/** By which a host joins; its code is stored as a SHA-256 hash only. */
export type JoinKeyRow = Own<JoinKey, 'nodeName'> & { codeHash: string };

/** The token of a program; its secret is stored as a SHA-256 hash only. */
export type ApiTokenRow = Own<ApiToken, never> & { tokenHash: string };

/**
 * What a call came to, as far as it cannot be read again: this, and nothing else of a reply, is stored with its
 * `Idempotency-Key`. No secret may ever be among it.
 */
export type Outcome = {
  /** The object that was created. */
  id?: number;
  /** The access token or API token that was made; its secret is not kept. */
  tokenId?: number;
  domainCreated?: boolean;
  domainIsOwnName?: boolean;
  /** The sentence of a reply that is one. */
  sentence?: string;
  /** What became of each of many services. */
  results?: Pick<BulkResult, 'status' | 'message' | 'version'>[];
};

/** A call that was made with an `Idempotency-Key`. */
export type IdempotencyKeyRow = {
  id: number;
  /** Who made it: keys of one caller mean nothing to another. */
  caller: string;
  /** SHA-256, like the other hashes: who reads the database can repeat nothing. */
  keyHash: string;
  /** The name of the endpoint. */
  call: string;
  /** Of everything that the call said. */
  requestHash: string;
  /** Of the token that it was made with: some calls end their own. */
  tokenHash: string;
  outcome: Outcome;
  createdAt: string;
};

/** Why a session ended before its time. */
export type SessionEnd = 'signed-out' | 'password-changed' | 'address-changed' | 'copy-restored';

/** A signed-in administrator. */
export type SessionRow = {
  id: number;
  tokenHash: string;
  /** The key without which the token is of no use (RFC 7638, SHA-256); null: the token alone is enough. */
  keyThumbprint: string | null;
  createdAt: string;
  expiresAt: string;
  /** Null while it lasts. */
  ended: SessionEnd | null;
  /** When, to the minute, and from which address it was last used; null: not known. */
  lastUsedAt: string | null;
  address: string | null;
};

/** A visitor who signed in to a domain; the e-mail is in lower case. */
export type VisitorSessionRow = {
  tokenHash: string;
  domainId: number;
  email: string;
  /** Who it is at the identity provider. */
  subject: string;
  createdAt: string;
  expiresAt: string;
};

/** The administrator. */
export type AdminRow = { id: number; username: string; passwordHash: string };

/**
 * A name under which the console or a node had its website, whatever became of the domain since: browsers keep programs of
 * nodes for good, and hosts send their tokens to where the console was.
 */
export type FormerNameRow = { name: string; usedBy: 'console' | 'node' };

/** A public port that a service left, and whose it was then: clients still call it. */
export type FormerPortRow = { port: number; nodeId: number; leftAt: string };

/** What the gateway decided once and keeps: a key and a text. */
export type SettingRow = {
  key:
    | 'httpPort'
    /** Which database this is, and how many transactions have changed objects, as `History` in `records.ts` writes it. */
    | 'history'
    | 'httpsPort'
    /** By which name or address hosts and visitors reach the gateway, unless the environment says it. */
    | 'publicAddress'
    /** What an administrator entered in the console of the identity provider, its secret sealed, as JSON. */
    | 'identityProvider'
    /** The same of the certificate authority. */
    | 'certificateAuthority'
    /** The names by which services without a domain were reached at the last start, as JSON. */
    | 'hostNames'
    /** Where browsers reached the console at the last start, its domain left out, as JSON. */
    | 'consoleAddress'
    /** Where visitors signed in at the last start, as JSON. */
    | 'provider'
    | 'serverPublicKey'
    | 'serverSealedPrivateKey'
    /** A text that only the right key file opens, whatever became of the rows. */
    | 'sealedCheck'
    /** The public key that the gateway had before its keys were replaced: by it the former interface is recognised. */
    | 'formerServerPublicKey'
    /** The public keys of nodes whose hosts have to join again, as JSON. */
    | 'rejoiningKeys'
    /** Since when domains promise to be reached by HTTPS alone, as JSON. */
    | 'hstsPromises'
    /** The address in the tunnel behind which the next one for a node is looked for. */
    | 'lastNodeAddress'
    /** Sealed: what a Wiredoor server signed its access tokens with; there as long as one of them was not used yet. */
    | 'wiredoorTokenKey'
    /** The address of the Wiredoor server whose API this gateway was made from. */
    | 'wiredoorOrigin';
  value: string;
};

/** The columns that the store fills in by itself. */
export type Managed = 'id' | 'version' | 'createdAt' | 'updatedAt';

/** What a new row is made of. */
export type NewRow<Row> = Omit<Row, Managed>;

/** The rows of each table. */
export type Rows = {
  admin: AdminRow;
  apiTokens: ApiTokenRow;
  domains: DomainRow;
  formerNames: FormerNameRow;
  formerPorts: FormerPortRow;
  httpServices: HttpServiceRow;
  idempotencyKeys: IdempotencyKeyRow;
  joinKeys: JoinKeyRow;
  nodes: NodeRow;
  nodeTokens: TokenRow;
  nodeTraffic: NodeTrafficRow;
  sessions: SessionRow;
  settings: SettingRow;
  tcpServices: TcpServiceRow;
  visitorSessions: VisitorSessionRow;
};

/** The database as queries see it: its values are those of the rows, whatever an engine makes of them. */
export type Database = { [Name in keyof Rows]: Columns<Rows[Name]> };

type Columns<Row> = { [Column in keyof Row]: Column extends 'id' ? Generated<Row[Column]> : Row[Column] };

/** The tables whose rows are managed by the store. */
export type EntityTable = { [Name in keyof Rows]: Managed extends keyof Rows[Name] ? Name : never }[keyof Rows];
