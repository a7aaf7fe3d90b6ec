import { randomUUID } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import {
  check,
  type Endpoint,
  type EndpointName,
  type ErrorBody,
  IDEMPOTENCY_HEADER,
  REPLAYED_HEADER,
  PAGES_TYPE,
  SHARED_STREAM_PATH,
  STREAM_RESTARTED_HEADER,
} from '@sallyport/sdk/contract';
import { type Context as HonoContext, Hono } from 'hono';
import { Failure, failure, loggedReason } from '../failure.ts';
import { authenticate, noteSessionUse, requireAlive, writeAs } from '../authenticate.ts';
import { type AccessOf, type Identity, isForAllNodes, nodesOf, requireAccess, requireOwnNode } from '../identity.ts';
import type { Client, Context, FileReply, HandlerParts, ReplyNotes } from '../context.ts';
import { candidateFor, handlers, routes } from './routes.ts';
import { createTokenLimits, nodeWorld } from '../node/tokenLimits.ts';
import { answerOnce, formerCaller, keyOf } from '../idempotency.ts';
import { inTurn } from '../writer.ts';
import type { Watch } from '../watch.ts';
import type { Clock } from '../../world.ts';
import {
  acceptsPages,
  BODY_MAX_BYTES,
  clientOf,
  type Connection,
  ifMatchOf,
  type Input,
  loggedUrl,
  parseInput,
  paramsOf,
  queryOf,
  readBody,
  refuseForeignPage,
  tokenOf,
} from './request.ts';
import { createProofs } from './proofs.ts';
import { createSessionEnds, createStreams, STREAM_HEADERS } from './streams.ts';
import { shareStream, streamRequestsOf } from './sharedStream.ts';
import { createJoinFiles } from '../join/joinFiles.ts';
import { createStaticFiles } from './staticFiles.ts';

export type HttpOptions = {
  parts: HandlerParts;
  clock: Clock;
  /** Tells which tokens die; returns the way to stop. */
  onSessionEnd(listener: (tokenHash: string) => void): () => void;
  /** The built console; null: none. */
  consoleDirectory: string | null;
  /** The packages of the command, for hosts that join; null: none. */
  packageDirectory: string | null;
  streams?: Parameters<typeof createStreams>[0];
  /** Notes a request that was refused. */
  refused(facts: RefusedRequest): void;
};

/** A refused request, as it may stand in a log. */
export type RefusedRequest = { requestId: string; method: string; url: string; status: number; reason: string };

/** The gateway's API and console, as a function of the request. */
export type Http = {
  fetch(request: Request, connection: Connection): Promise<Response>;
  /** How many streams are being read. */
  watchers(): number;
  /** Ends the open streams; nothing new is taken on. */
  stop(): void;
};

type Env = { Bindings: Connection & { caller?: Identity | null }; Variables: { requestId: string | undefined } };
type Headers = Record<string, string>;
type Schema = Parameters<typeof check>[0];
type AnyHandler = (input: Input, context: Context) => Promise<unknown>;

/** Makes the routes of the whole contract, and of the console's files. */
export function createHttp({ parts, clock, consoleDirectory, packageDirectory, ...options }: HttpOptions): Http {
  const app = new Hono<Env>();
  const streams = createStreams(options.streams);
  const sessionEnds = createSessionEnds(clock, options.onSessionEnd);
  const staticFiles = createStaticFiles(consoleDirectory, parts);
  const joinFiles = createJoinFiles(packageDirectory, async () => ({
    ...parts.settings,
    keyPin: await parts.world.consoleKeyPin(),
  }));
  const proofs = createProofs(clock);
  const limits = createTokenLimits(clock.now);
  const worldOfNodes = nodeWorld(parts.world);
  const written = new Map<EndpointName, string>();

  for (const route of routes()) {
    app.on(route.method, route.path, async (c) => {
      const { name, endpoint } = candidateFor(route, () => queryOf(c));
      if (!WITHOUT_DATABASE.has(name)) requireDatabase(parts.store);
      const client = clientOf(c, c.env);
      refuseForeignPage(c.req.method, client);
      const key = keyOf(endpoint, c.req.header(IDEMPOTENCY_HEADER));
      const caller = await callerOf(c, endpoint, { client, replay: key === null ? null : { name, key } });
      const onlyReads = endpoint.method === 'GET';
      const isStream = endpoint.kind === 'stream';
      const done = isStream ? () => undefined : limits[onlyReads ? 'readsUnderWay' : 'changesUnderWay'](caller);
      try {
        const notRefused = onlyReads ? () => undefined : limits.refusal(caller);
        if (onlyReads && !isStream) limits.reading(caller);
        // Only now: a body is not taken in from a caller who may not send one.
        const body = await readBody(c.req.raw, BODY_MAX_BYTES[caller?.type ?? 'open']);
        await turnOf(caller);
        if (caller?.type === 'node' || !onlyReads) {
          await requireAlive(parts.store, caller, parts, { onlyReads: !isStream && onlyReads });
        }
        const response = await answer(c, name, endpoint, { client, caller, body, key });
        notRefused();
        return response;
      } finally {
        if (isStream || c.env.whenTaken === undefined) done();
        else c.env.whenTaken(done);
      }
    });
  }

  app.on('GET', SHARED_STREAM_PATH, async (c) => {
    requireDatabase(parts.store);
    const caller = await callerOf(c, ANY_STREAM, { client: clientOf(c, c.env), replay: null });
    const done = limits.readsUnderWay(caller);
    try {
      limits.reading(caller);
      await turnOf(caller);
    } finally {
      done();
    }
    const requests = streamRequestsOf(paramsOf(c).get('of') ?? '', new URL(c.req.url).origin);
    if (c.req.method === 'HEAD') return marked(c, new Response(null, { headers: STREAM_HEADERS }));
    const answers = requests.map(async ({ url, lastEventId }) => {
      const headers = { accept: PAGES_TYPE, ...(lastEventId !== null && { 'last-event-id': lastEventId }) };
      return app.fetch(new Request(url, { headers }), { ...c.env, caller });
    });
    return marked(
      c,
      shareStream(await Promise.all(answers), (end) => sessionEnds.register(caller, end)),
    );
  });

  /** Of all that one node asks for at once, one call begins in each round of the event loop: others are heard between. */
  async function turnOf(caller: Identity | null): Promise<void> {
    if (caller?.type === 'node') await inTurn(parts.store, `begin ${caller.nodeId}`, () => nextRound());
  }

  /** `replay` is the write that may be sent again. */
  type Called = { client: Client; replay: { name: EndpointName; key: string } | null };

  type Asked = AccessOf & Pick<Endpoint, 'kind'>;

  /** Who calls, when the endpoint is for them. */
  async function callerOf(c: HonoContext<Env>, asked: Asked, called: Called): Promise<Identity | null> {
    if (asked.access === 'open') return null;
    // Those of a shared connection have been asked once, for all of its streams.
    const identity = c.env.caller ?? (await identify(c, asked.kind, called));
    requireAccess(identity, asked);
    return identity;
  }

  async function identify(c: HonoContext<Env>, kind: Endpoint['kind'], { client, replay }: Called): Promise<Identity> {
    const token = tokenOf(c, kind);
    if (token === null) throw failure.unauthorized();
    const identity = await authenticate(parts, token).catch(async (error: unknown) => {
      const former = replay === null ? null : await formerCaller(parts, { ...replay, token });
      if (former === null) throw error;
      return former;
    });
    if (identity.type === 'admin' && identity.keyThumbprint !== null) {
      const url = client.ownOrigin + new URL(c.req.url).pathname;
      const { keyThumbprint } = identity;
      await proofs.require(c.req.header('dpop') ?? null, { method: c.req.method, url, token, keyThumbprint });
    }
    if (identity.type === 'admin') await noteSessionUse(parts, identity, client.address);
    return identity;
  }

  async function answer(
    c: HonoContext<Env>,
    name: EndpointName,
    endpoint: Endpoint,
    { client, caller, body, key }: Pick<Context, 'client' | 'caller'> & { body: string; key: string | null },
  ): Promise<Response> {
    const input = parseInput(c, endpoint, body);
    requireOwnNode(caller, endpoint, input);
    if (endpoint.kind === 'stream') limits.opening(caller);
    const reply: ReplyNotes = {};
    const write = limits.paced(writeAs(parts, caller), caller, input.body);
    const nodes = nodesOf(caller);
    const world = isForAllNodes(caller) ? parts.world : worldOfNodes;
    const context: Context = { ...parts, world, write, client, caller, ifMatch: ifMatchOf(c), reply };
    const handle = (given: Context): Promise<unknown> => (handlers[name] as AnyHandler)(input, given);
    const value = await (key === null ? handle(context) : answerOnce({ name, key, input }, context, handle));
    if (endpoint.kind === 'file') return marked(c, fileResponse(value as FileReply));
    const whole = wantsRows(c, endpoint, input);
    if (endpoint.kind === 'stream') {
      // The body of an answer to HEAD is not read, and would never end.
      if (c.req.method === 'HEAD') return marked(c, new Response(null, { headers: STREAM_HEADERS }));
      const done = limits.streams(caller);
      const encode = (event: unknown): string => JSON.stringify(allowed(name, endpoint.event, event, whole));
      const watch = value as Watch<unknown>;
      // Who reads it in another form, or may see less of it, is sent other bytes.
      const readers = watch.key === null ? null : `${watch.key} ${whole ? 'rows' : 'page'} ${nodes?.join() ?? 'all'}`;
      const response = streams.open({ ...watch, key: readers }, encode, (end) => {
        const forget = sessionEnds.register(caller, end);
        return () => {
          forget();
          done();
        };
      });
      // Its token may have died before its end could be told here.
      await requireAlive(parts.store, caller, parts, { onlyReads: false }).catch(async (error: unknown) => {
        await response.body?.cancel();
        throw error;
      });
      if (reply.restarted === true) response.headers.set(STREAM_RESTARTED_HEADER, 'true');
      return marked(c, response);
    }
    if (ALWAYS_THE_SAME.has(name)) {
      const text = written.get(name) ?? JSON.stringify(allowed(name, endpoint.reply, value, false));
      written.set(name, text);
      return marked(c, new Response(text, { headers: { 'content-type': 'application/json' } }));
    }
    return json(c, allowed(name, endpoint.reply, value, endpoint.paged === true && whole), reply.status ?? 200, {
      ...(reply.cookie !== undefined && { 'set-cookie': reply.cookie }),
      ...(reply.replayed === true && { [REPLAYED_HEADER]: 'true' }),
    });
  }

  app.notFound(async (c) => {
    const file = isApi(c) ? null : ((await joinFiles(c)) ?? (await staticFiles(c)));
    if (file === null) throw failure.notFound('Not found');
    return marked(c, file);
  });
  app.onError((error, c) => {
    const requestId = requestIdOf(c);
    const facts = { requestId, method: c.req.method, url: loggedUrl(c.req.url) };
    if (error instanceof Failure) {
      options.refused({ ...facts, status: error.status, reason: loggedReason(error) });
      return refusal(c, error);
    }
    parts.failed(error, facts);
    // Nothing but where to look it up.
    const body: ErrorBody = { status: 'error', message: 'Internal server error', requestId };
    return json(c, body, 500);
  });

  return {
    fetch: async (request, connection) => app.fetch(request, connection),
    watchers: streams.count,
    stop() {
      sessionEnds.stop();
      streams.stop();
    },
  };
}

/** Written once: it is large, and anyone may ask for it. */
const ALWAYS_THE_SAME: ReadonlySet<EndpointName> = new Set(['system.openapi']);

/** A connection for several streams, each of which says for whom it is. */
const ANY_STREAM = { access: 'any', kind: 'stream', rights: [], node: 'reply' } as const;

/** What can be answered without the database. */
const WITHOUT_DATABASE: ReadonlySet<EndpointName> = new Set(['system.health', 'system.openapi']);

/** The caller is told the real cause, not that the token is unknown. */
function requireDatabase({ problem }: HandlerParts['store']): void {
  const gone = problem();
  if (gone !== null) throw failure.unavailable(gone);
}

/** A list without `limit` asks for all rows, and gets them as a bare array; a stream may want to be asked for pages. */
function wantsRows(c: HonoContext, endpoint: Endpoint, input: Input): boolean {
  const { query } = endpoint;
  if (endpoint.kind === 'stream' && endpoint.pagesOnRequest && !acceptsPages(c)) return true;
  const hasLimit = query !== undefined && 'shape' in query && 'limit' in (query.shape as object);
  return hasLimit && (input.query as { limit?: number }).limit === undefined;
}

/** The fields that the contract names and nothing else, so that a new column cannot leak. */
function allowed(name: string, schema: Schema, value: unknown, whole: boolean): unknown {
  const result = check(schema, value);
  if (!result.ok)
    throw new Error(`the reply of ${name} is not what the contract says: ${JSON.stringify(result.problems)}`);
  return whole ? (result.value as { data: unknown }).data : result.value;
}

function fileResponse({ fileName, contentType, body }: FileReply): Response {
  return new Response(body, {
    headers: { 'content-type': contentType, 'content-disposition': `attachment; filename="${fileName}"` },
  });
}

/** What a client is told of a refusal. */
function refusal(c: HonoContext<Env>, { status, message, errors, retryAfterSeconds, challenge }: Failure): Response {
  const body: ErrorBody = {
    status: 'error',
    message,
    requestId: requestIdOf(c),
    ...(errors !== undefined && { errors }),
  };
  return json(c, body, status, {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(challenge !== undefined && { 'www-authenticate': challenge }),
  });
}

/** By which an answer is found again in the gateway's log. */
function requestIdOf(c: HonoContext<Env>): string {
  const known = c.get('requestId');
  if (known !== undefined) return known;
  const made = randomUUID();
  c.set('requestId', made);
  return made;
}

const isApi = (c: HonoContext): boolean => c.req.path === '/api' || c.req.path.startsWith('/api/');

/** What every answer says about itself. */
const commonHeaders = (c: HonoContext<Env>): Headers => ({
  'x-request-id': requestIdOf(c),
  ...(isApi(c) && { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }),
});

/** Made in one piece, its headers included: what is added to an answer afterwards costs as much as the answer. */
function json(c: HonoContext<Env>, value: unknown, status: number, headers: Headers = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', ...headers, ...commonHeaders(c) },
  });
}

/** An answer that was made elsewhere. */
function marked(c: HonoContext<Env>, response: Response): Response {
  for (const [name, value] of Object.entries(commonHeaders(c))) response.headers.set(name, value);
  return response;
}
