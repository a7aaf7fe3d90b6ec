import type * as z from 'zod/mini';
import type { Right } from './rights.ts';

/** Who may call: no one in particular, the administrator, the holder of a node's access token, or either of the two. */
export type Access = 'open' | 'admin' | 'node' | 'any';

/**
 * Where a call names its node. A token that is limited to some nodes may make it for those alone; `reply`: for all, and is
 * answered what is of its nodes.
 */
export type NodePlace = 'params.id' | 'params.nodeId' | 'query.id' | 'reply';

type Common = {
  readonly path: `/${string}`;
  /** One sentence for the documentation. */
  readonly summary: string;
  readonly access: Access;
  /** What an API token must be allowed to, all of them; left out: no API token may call it. */
  readonly rights?: readonly Right[];
  /** Left out: no token that is limited to some nodes may call it. */
  readonly node?: NodePlace;
  /** Values in the path, e.g. `{id}`. */
  readonly params?: z.ZodMiniType;
  readonly query?: z.ZodMiniType;
};

/** A request with a JSON body (or none) and a JSON reply. */
export type CallEndpoint = Common & {
  readonly kind: 'call';
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: z.ZodMiniType;
  readonly reply: z.ZodMiniType;
  /** The reply is a page; without `limit` in the query the wire carries the bare array of all rows instead. */
  readonly paged?: true;
  /** It takes no idempotency key: it changes nothing, or a hash of what is sent may not be kept, for it holds a password. */
  readonly repeatable?: false;
};

/** A download; its name comes with `content-disposition`, else `fileName` is used. */
export type FileEndpoint = Common & {
  readonly kind: 'file';
  readonly method: 'GET';
  readonly fileName: string;
};

/**
 * Header of a stream's reply, with the value `true`: the event in `Last-Event-ID` is not known any more, so the stream
 * begins again, and events may be missing in between.
 */
export const STREAM_RESTARTED_HEADER = 'x-stream-restarted';

/** What the header `Accept` of a stream's request names when it wants each page with its total. */
export const PAGES_TYPE = 'text/event-stream; as=page';

/**
 * Header of a write: a key of the caller's choice for this one write. The same write sent again with it, because its
 * reply was lost, is answered and not carried out again.
 */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** Header of a reply, with the value `true`: the write was carried out before. */
export const REPLAYED_HEADER = 'idempotency-replayed';

/** Whether a call takes an idempotency key: every write of a caller who is signed in. Signing in twice does no harm. */
export const isRepeatable = ({
  kind,
  method,
  access,
  repeatable,
}: Pick<Endpoint, 'kind' | 'method' | 'access'> & Pick<Partial<CallEndpoint>, 'repeatable'>): boolean =>
  kind === 'call' && method !== 'GET' && access !== 'open' && repeatable !== false;

/**
 * Streams several streams over one connection, for readers whose browser keeps few of them to a host. The query `of` has a
 * line for each: the path and query of a stream of this contract, and after `#` the id of the last event that was read, if
 * any. An event's type is the number of its line, from 0; `N/open` comes first, with `{ status, restarted, body }` of the
 * answer that the stream alone would have had, and `N/end` last.
 */
export const SHARED_STREAM_PATH = '/api/streams';
/** The most streams that one connection carries. */
export const SHARED_STREAMS_MAX = 16;
/** The data of `N/open`. `body` is that of a refusal, else empty. */
export type SharedStreamOpening = { status: number; restarted: boolean; body: string };

/** A stream of server-sent events, each one JSON value of the shape `event`. */
export type StreamEndpoint = Common & {
  readonly kind: 'stream';
  readonly method: 'GET';
  readonly event: z.ZodMiniType;
  /** A reader that does not accept `PAGES_TYPE` gets each page as the bare array of its rows, as Wiredoor's console does. */
  readonly pagesOnRequest?: true;
  /** How long a reader waits before it connects again, in milliseconds; null: never. */
  readonly reconnectMs: number | null;
};

export type Endpoint = CallEndpoint | FileEndpoint | StreamEndpoint;

/** What an endpoint has next to its method, path and summary; the administrator alone may call it unless `access` says otherwise. */
type Parts<E> = Omit<E, 'kind' | 'method' | 'path' | 'summary' | 'access'> & { readonly access?: Access };
type Declared<E extends Endpoint> = Pick<E, 'kind' | 'method' | 'path' | 'summary' | 'access'>;

/** Declares a call and keeps its exact type. */
export const call = <const M extends CallEndpoint['method'], const E extends Parts<CallEndpoint>>(
  method: M,
  path: Common['path'],
  summary: string,
  parts: E,
) => ({ kind: 'call', access: 'admin', method, path, summary, ...parts }) as Declared<CallEndpoint> & { method: M } & E;

/** Declares a download and keeps its exact type. */
export const file = <const E extends Parts<FileEndpoint>>(path: Common['path'], summary: string, parts: E) =>
  ({ kind: 'file', method: 'GET', access: 'admin', path, summary, ...parts }) as Declared<FileEndpoint> & E;

/** Declares an event stream and keeps its exact type. */
export const stream = <const E extends Parts<StreamEndpoint>>(path: Common['path'], summary: string, parts: E) =>
  ({ kind: 'stream', method: 'GET', access: 'admin', path, summary, ...parts }) as Declared<StreamEndpoint> & E;

type Part<E, Name extends string, Side extends 'in' | 'out'> = E extends {
  readonly [K in Name]: infer S extends z.ZodMiniType;
}
  ? { readonly [K in Name]: Side extends 'in' ? z.input<S> : z.output<S> }
  : unknown;

// A part may be left out as a whole when an empty object would satisfy it.
type Loose<T> = { [K in keyof T as {} extends T[K] ? K : never]?: T[K] } & {
  [K in keyof T as {} extends T[K] ? never : K]: T[K];
};

/** What a caller gives: `params`, `query` and `body`, as far as the endpoint has them. */
export type InputOf<E> = Loose<Part<E, 'params', 'out'> & Part<E, 'query', 'out'> & Part<E, 'body', 'in'>>;

/** What a handler receives: the same parts, checked and normalised. */
export type CheckedInputOf<E> = Part<E, 'params', 'out'> & Part<E, 'query', 'out'> & Part<E, 'body', 'out'>;

/** The reply of a call as the SDK hands it out and as a handler must make it: every field present. */
export type ReplyOf<E> = E extends { readonly reply: infer S extends z.ZodMiniType } ? z.output<S> : never;

/** One event of a stream. */
export type EventOf<E> = E extends { readonly event: infer S extends z.ZodMiniType } ? z.output<S> : never;
