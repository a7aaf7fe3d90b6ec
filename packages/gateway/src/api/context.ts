import type { World, Write } from '../world.ts';
import type { StoreReader } from '../store/transaction.ts';
import type { Store } from '../store/store.ts';
import type { LoginAttempts, Passwords } from './session/password.ts';
import type { PublicPorts } from './service/publicAddress.ts';
import type { Settings } from './settings.ts';
import type {
  CallEndpoint,
  CheckedInputOf,
  EndpointName,
  EndpointNamed,
  EventOf,
  FileEndpoint,
  Group,
  ReplyOf,
  StreamEndpoint,
} from '@sallyport/sdk/contract';
import type { Identity } from './identity.ts';
import type { Watch } from './watch.ts';

/** What handlers stand on, the same for all requests. */
export type HandlerParts = {
  store: StoreReader & Pick<Store, 'onChange' | 'problem' | 'unsavedSessions'>;
  write: Write;
  world: World;
  settings: Settings;
  /** The version of the gateway. */
  version: string;
  passwords: Passwords;
  loginAttempts: LoginAttempts;
  publicPorts: PublicPorts;
  /** Called after each successful sign-in. */
  signedIn(): void;
  /** Notes an error that no reply may carry. */
  failed(error: unknown, facts?: object): void;
};

/** Where a request comes from. */
export type Client = {
  address: string;
  /** It came past nginx, to the gateway's own listener: from a process or a browser on this machine. */
  isDirect: boolean;
  /** The page came over HTTPS. */
  secure: boolean;
  /** The origin under which the request reached the gateway. */
  ownOrigin: string;
  /** The headers `Origin` and `Sec-Fetch-Site` of a browser. */
  origin: string | null;
  fetchSite: string | null;
  lastEventId: string | null;
};

/** What a handler may say next to its reply. */
export type ReplyNotes = {
  status?: 503;
  cookie?: string;
  /** A stream that was to go on behind an event begins again, because that event is not known any more. */
  restarted?: boolean;
  /** It answers a request that was carried out before. */
  replayed?: boolean;
};

/** What a handler gets with its input. */
export type Context = HandlerParts & {
  client: Client;
  /** Null on open endpoints. */
  caller: Identity | null;
  /** The version that the caller's change is based on. */
  ifMatch: number | null;
  reply: ReplyNotes;
};

/** A download. */
export type FileReply = { fileName: string; contentType: string; body: string };

/** What an endpoint of the contract needs to be answered. */
export type HandlerOf<E> = E extends CallEndpoint
  ? (input: CheckedInputOf<E>, context: Context) => Promise<ReplyOf<E>>
  : E extends StreamEndpoint
    ? (input: CheckedInputOf<E>, context: Context) => Promise<Watch<EventOf<E>>>
    : E extends FileEndpoint
      ? (input: CheckedInputOf<E>, context: Context) => Promise<FileReply>
      : never;

/** Every endpoint has a handler, or this does not compile. */
export type HandlerTable = { [N in EndpointName]: HandlerOf<EndpointNamed<N>> };

/** The handlers of one group of the contract. */
export type HandlersOf<G extends Group> = Pick<HandlerTable, Extract<keyof HandlerTable, `${G}.${string}`>>;
