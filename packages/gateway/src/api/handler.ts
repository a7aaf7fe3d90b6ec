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
import type { Context } from './context.ts';
import type { Watch } from './watch.ts';

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
