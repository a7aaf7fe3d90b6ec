import type * as z from 'zod/mini';

/** Who may call: nobody in particular, the administrator, the holder of a node's access token, or either of the two. */
export type Access = 'open' | 'admin' | 'node' | 'any';

type Common = {
  readonly path: `/${string}`;
  /** One sentence for the documentation. */
  readonly summary: string;
  readonly access: Access;
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
};

/** A download; its name comes with `content-disposition`, else `fileName` is used. */
export type FileEndpoint = Common & {
  readonly kind: 'file';
  readonly method: 'GET';
  readonly fileName: string;
};

/**
 * Header of a stream's reply, with the value `true`: the event in `Last-Event-ID` is not known any more, so the stream
 * begins anew, and events may be missing in between.
 */
export const STREAM_RESTARTED_HEADER = 'x-stream-restarted';

/** A stream of server-sent events, each one JSON value of the shape `event`. */
export type StreamEndpoint = Common & {
  readonly kind: 'stream';
  readonly method: 'GET';
  readonly event: z.ZodMiniType;
  /** How long a reader waits before it connects again, in milliseconds; null: never (specification section 9). */
  readonly reconnectMs: number | null;
};

export type Endpoint = CallEndpoint | FileEndpoint | StreamEndpoint;

/** Declares a call and keeps its exact type. */
export const call = <const E extends Omit<CallEndpoint, 'kind'>>(endpoint: E) =>
  ({ kind: 'call', ...endpoint }) as { readonly kind: 'call' } & E;

/** Declares a download and keeps its exact type. */
export const file = <const E extends Omit<FileEndpoint, 'kind' | 'method'>>(endpoint: E) =>
  ({ kind: 'file', method: 'GET', ...endpoint }) as { readonly kind: 'file'; readonly method: 'GET' } & E;

/** Declares an event stream and keeps its exact type. */
export const stream = <const E extends Omit<StreamEndpoint, 'kind' | 'method'>>(endpoint: E) =>
  ({ kind: 'stream', method: 'GET', ...endpoint }) as { readonly kind: 'stream'; readonly method: 'GET' } & E;

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
