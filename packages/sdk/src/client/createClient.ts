import { adminContract, endpointsOf } from '../contract/adminContract.ts';
import { type Contract, type EndpointName, type Group, contract } from '../contract/contract.ts';
import type { Endpoint, EventOf, InputOf, ReplyOf } from '../contract/endpoint.ts';
import { ApiError } from './apiError.ts';
import type { Download } from './download.ts';
import type { AnyInput } from './requestUrl.ts';
import type { StreamSharing } from './streamSharing.ts';
import type { EventStream, WatchOptions } from './stream.ts';
import { type CallOptions, type TransportOptions, createTransport } from './transport.ts';
import { watch } from './watch.ts';

// The input may be left out when nothing in it is required.
type Arguments<Input, Options> = {} extends Input
  ? [input?: Input, options?: Options]
  : [input: Input, options?: Options];

/** The client's method for an endpoint. */
export type MethodOf<E> = E extends { readonly kind: 'call' }
  ? (...given: Arguments<InputOf<E>, CallOptions>) => Promise<ReplyOf<E>>
  : E extends { readonly kind: 'file' }
    ? (...given: Arguments<InputOf<E>, CallOptions>) => Promise<Download>
    : (...given: Arguments<InputOf<E>, WatchOptions>) => EventStream<EventOf<E>>;

/** A method for each endpoint of the contract: `client.node.list(…)`, `client.httpService.create(…)`. */
export type Client = { readonly [G in Group]: { readonly [V in keyof Contract[G]]: MethodOf<Contract[G][V]> } };

/** The same without the calls of a node's own token. */
export type AdminClient = Pick<Client, keyof typeof adminContract>;

/** What a client is made with. */
export type ClientOptions = TransportOptions & {
  /** Made by `createStreamSharing`: the streams share one connection. Without it each has its own. */
  sharing?: StreamSharing | undefined;
  /**
   * Sees every `ApiError` before it is thrown, e.g. to sign out. `authenticated` says whether the client has a token at
   * that moment.
   */
  onError?: ((error: ApiError, call: { name: EndpointName; authenticated: boolean }) => void) | undefined;
};

/**
 * A typed client for a gateway, the same in a browser and in Node.
 *
 * @throws TypeError when `baseUrl` is not an http or https address.
 */
export const createClient = (options: ClientOptions): Client => clientOf(contract, options) as Client;

/** The same for an administrator; a page that uses it does not load the other calls. */
export const createAdminClient = (options: ClientOptions): AdminClient =>
  clientOf(adminContract, options) as AdminClient;

function clientOf(of: Partial<Contract>, options: ClientOptions): Partial<Client> {
  const transport = createTransport(options);
  const way = { transport, sharing: options.sharing ?? null };

  const method = (name: EndpointName, endpoint: Endpoint) => {
    const failed = (error: unknown) => {
      if (error instanceof ApiError) options.onError?.(error, { name, authenticated: transport.token() !== null });
    };
    const reported = <T>(work: Promise<T>) =>
      work.catch((error: unknown) => {
        failed(error);
        throw error;
      });
    if (endpoint.kind === 'stream') {
      return (input: AnyInput = {}, watchOptions: WatchOptions = {}) =>
        watch(way, { name, endpoint, input, headers: {} }, watchOptions, failed);
    }
    if (endpoint.kind === 'file') {
      const download = async (input: AnyInput, callOptions: CallOptions): Promise<Download> => {
        const part = await import('./download.ts');
        return part.download(transport, { name, endpoint, input, headers: {} }, callOptions);
      };
      return (input: AnyInput = {}, callOptions: CallOptions = {}) => reported(download(input, callOptions));
    }
    return (input: AnyInput = {}, callOptions: CallOptions = {}) =>
      reported(transport.call({ name, endpoint, input, headers: {} }, callOptions));
  };

  const client: Record<string, Record<string, unknown>> = {};
  for (const { name, endpoint } of endpointsOf(of)) {
    const [group = '', verb = ''] = name.split('.');
    (client[group] ??= {})[verb] = method(name as EndpointName, endpoint);
  }
  return client;
}
