import {
  adminContract,
  type Contract,
  contract,
  type EndpointName,
  endpointsOf,
  type Group,
  pagerOf,
} from '../contract/contract.ts';
import type { Endpoint, EventOf, InputOf, ReplyOf } from '../contract/endpoint.ts';
import type { Calls } from './api.generated.ts';
import { ApiError, untrusted } from './apiError.ts';
import { type Call, callOf, type CallOptions, createTransport, type TransportOptions } from './transport.ts';
import type { Download } from './download.ts';
import type { AnyInput } from './requestUrl.ts';
import type { StreamSharing } from './streamSharing.ts';
import type { EventStream, StreamWay, Watched, WatchOptions } from './stream.ts';
import type { reconnecting } from './reconnecting.ts';
import type { Page } from '../contract/paging.ts';

/** A typed client for one gateway: a method for each endpoint. */
export interface Client extends Calls {
  /** A client for the same gateway with other options; what is left out stays as it is. */
  withOptions(options: Partial<ClientOptions>): Client;
}

/** The calls of an administrator: all but those of a node's own token, and without the loops over whole lists. */
export type AdminClient = { readonly [G in keyof typeof adminContract]: Omit<Calls[G], 'all'> };

// The contract's own types must fit the interface that was written from it.
type Arguments<Input, Options> = {} extends Input
  ? [input?: Input, options?: Options]
  : [input: Input, options?: Options];

type MethodOf<E> = E extends { readonly kind: 'call' }
  ? (...given: Arguments<InputOf<E>, CallOptions>) => Call<ReplyOf<E>>
  : E extends { readonly kind: 'file' }
    ? (...given: Arguments<InputOf<E>, CallOptions>) => Promise<Download>
    : (...given: Arguments<InputOf<E>, WatchOptions>) => EventStream<EventOf<E>>;

type Methods = { readonly [G in Group]: { readonly [V in keyof Contract[G]]: MethodOf<Contract[G][V]> } };
type AdminMethods = Pick<Methods, keyof typeof adminContract>;

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
export function createClient(options: ClientOptions): Client {
  const client: Methods = clientOf(contract, options, untrusted);
  for (const { name, endpoint } of endpointsOf(contract)) {
    const [group = '', verb = ''] = name.split('.');
    const pager = pagerOf(group, verb, endpoint);
    const methods = (client as unknown as Record<string, Record<string, unknown>>)[group];
    if (pager === null || methods === undefined) continue;
    const list = methods[verb] as Parameters<typeof rowsOf>[0];
    methods[pager] = (input?: AnyInput, callOptions?: CallOptions) => rowsOf(list, input, callOptions);
  }
  return { ...(client as Calls), withOptions: (others) => createClient({ ...options, ...others }) };
}

/** The same for an administrator; a page that uses it does not load the other calls. */
export const createAdminClient = (options: ClientOptions): AdminClient => {
  const client: AdminMethods = clientOf(adminContract, options);
  return client;
};

/** The same for some groups of calls, which a page loads where it needs them. */
export function clientOf<C extends Partial<Contract>>(
  of: C,
  options: ClientOptions,
  diagnose?: Parameters<typeof createTransport>[1],
): Pick<Methods, keyof C & Group> {
  const transport = createTransport(options, diagnose);
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
      callOf(reported(transport.call({ name, endpoint, input, headers: {} }, callOptions)));
  };

  const client: Record<string, Record<string, unknown>> = {};
  for (const { name, endpoint } of endpointsOf(of)) {
    const [group = '', verb = ''] = name.split('.');
    (client[group] ??= {})[verb] = method(name as EndpointName, endpoint);
  }
  return client as Pick<Methods, keyof C & Group>;
}

/** Opens an event stream; nothing is sent before the first event is asked for. */
function watch(
  way: StreamWay,
  outgoing: Watched,
  options: WatchOptions,
  failed: (error: ApiError) => void,
): EventStream<unknown> {
  const stop = new AbortController();
  const events = eventsOf(way, outgoing, options, failed, stop);
  let taken = false;
  return {
    next: () => events.next(),
    return: () => {
      stop.abort();
      return events.return();
    },
    [Symbol.asyncIterator]() {
      if (taken) throw new TypeError('A stream can be read once; open a second one');
      taken = true;
      return this;
    },
  };
}

async function* eventsOf(...given: Parameters<typeof reconnecting>): AsyncGenerator<unknown, void, undefined> {
  // A page that makes calls alone, such as the one that signs in, does without what reads streams.
  const part = await import('./reconnecting.ts');
  yield* part.reconnecting(...given);
}

const PAGE_SIZE = 100;

/** Every row of a list, page by page. The oldest rows come first unless asked otherwise, so that new ones move nothing. */
async function* rowsOf(
  list: (input: AnyInput, options?: CallOptions) => Promise<Page<unknown>>,
  input: AnyInput = {},
  options?: CallOptions,
): AsyncGenerator<unknown, void, undefined> {
  const query = { limit: PAGE_SIZE, orderBy: 'id,asc', ...input.query };
  for (let page = Number(input.query?.['page'] ?? 1); ; page += 1) {
    const { data, limit, total } = await list({ ...input, query: { ...query, page } }, options);
    yield* data;
    // A gateway of the same family may answer with all rows at once, whatever was asked for.
    if (data.length === 0 || page * limit >= total) return;
  }
}
