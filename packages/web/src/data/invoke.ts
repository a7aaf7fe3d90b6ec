import type { AdminClient } from '@sallyport/sdk';
import type { EndpointName, EndpointNamed, InputOf, ReplyOf } from '@sallyport/sdk/contract';

type AdminName = Extract<EndpointName, `${keyof AdminClient}.${string}`>;

/** The names of an administrator's calls: those with one JSON reply. */
export type CallName = { [N in AdminName]: EndpointNamed<N> extends { kind: 'call' } ? N : never }[AdminName];
/** The calls that change nothing. */
export type ReadName = { [N in CallName]: EndpointNamed<N> extends { method: 'GET' } ? N : never }[CallName];
/** The calls that do. */
export type WriteName = Exclude<CallName, ReadName>;

export type InputNamed<N extends EndpointName> = InputOf<EndpointNamed<N>>;
export type ReplyNamed<N extends EndpointName> = ReplyOf<EndpointNamed<N>>;

/**
 * What a call that changes something is given. For one thing that is there, also its version as it was on the screen, so
 * that what someone else has changed meanwhile is not overwritten; null: it is meant whatever it has become.
 */
export type WriteInput<N extends WriteName> = InputNamed<N> &
  (EndpointNamed<N> extends { method: 'PATCH' | 'DELETE'; params: unknown } ? { ifMatch: number | null } : unknown);

type Options = {
  signal?: AbortSignal;
  /** Refused as a conflict unless the thing still has this version. */ ifMatch?: number | undefined;
  /** The key of a write that was made before and whose reply was lost. */ idempotencyKey?: string;
};
type Method = (input: unknown, options: Options) => Promise<unknown>;

/** Calls the client's method of that name, `node.list` being `client.node.list`. */
export async function invoke<N extends CallName>(
  client: AdminClient,
  name: N,
  input: InputNamed<N>,
  options: Options = {},
): Promise<ReplyNamed<N>> {
  const [group = '', verb = ''] = name.split('.');
  const method = (client as unknown as Record<string, Record<string, Method>>)[group]?.[verb];
  if (!method) throw new Error(`The client has no ${name}`);
  return (await method(input, options)) as ReplyNamed<N>;
}
