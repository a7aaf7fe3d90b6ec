import { type CallOptions, type Client, formatExact, printable } from '@sallyport/sdk';
import {
  type HttpService,
  type OwnNode,
  type ServiceType,
  type TcpService,
  field,
  httpServiceAttributes,
  parseNetwork,
  serviceAttributes,
  serviceTypes,
  tcpServiceAttributes,
  tcpServiceInput,
  timeToLive,
} from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { type Context, hostCommandLine } from '../context.ts';
import { Failure } from '../failure.ts';
import { type ExposedPort, type Exposure, exposePort, forwardNow } from '../host/exposedPort.ts';
import { explainRefusal } from '../host/exposeRefusal.ts';
import type { Host } from '../host/host.ts';
import { hostCommand } from '../host/hostCommand.ts';
import { unknownName } from '../host/unknownName.ts';
import { logWriter, streamNews } from '../ui/logWriter.ts';

const ttlHelp = { text: 'close it after this time, e.g. 30m, 2h or 1d', value: 'time' };
/** The flags that both kinds of service have, beyond their name and port. */
const common = {
  backendHost: httpServiceAttributes.backendHost.given,
  allow: httpServiceAttributes.allowedIps.given,
  block: httpServiceAttributes.blockedIps.given,
  tags: serviceAttributes.tags.given,
  notes: serviceAttributes.notes.given,
  ttl: timeToLive.ttl,
  foreground: z.optional(z.boolean()),
};
const commonHelp = {
  allow: { text: 'only these addresses or networks may come in', value: 'address,…' },
  block: { text: 'these addresses or networks may not', value: 'address,…' },
  tags: { text: 'tags to find it by' },
  notes: { text: 'what there is to know about it' },
  ttl: ttlHelp,
};
const whichHelp = {
  type: { text: 'which kind of service' },
  service: { text: 'the service, by its name or id', value: 'name|id' },
};

/** A domain. An address in its place is taken for what it most often means: the gateway's own. */
const domainOr = (where: string) =>
  z.pipe(
    z.optional(
      z.nullable(
        z.string().check(
          z.refine((value) => parseNetwork(value) === null, {
            error: `This field must be a name, not an address. Leave it out, and visitors reach the service at the gateway's own name or address, ${where}`,
            abort: true,
          }),
        ),
      ),
    ),
    serviceAttributes.domain.given,
  );

const ofHttp = httpServiceAttributes;

export const http = hostCommand({
  description:
    'Expose a web server of this host and answer with its public address. When there is a service of this name it is changed as the flags say and opened; the same command twice changes nothing.',
  words: ['name'],
  flags: z.strictObject({
    name: ofHttp.name.given,
    port: ofHttp.backendPort.given,
    domain: domainOr('below its --path'),
    path: ofHttp.pathLocation.given,
    proto: ofHttp.backendProto.given,
    ...common,
  }),
  help: {
    name: { text: 'what the service is called' },
    port: { text: 'the port of the web server; 80 for a new service' },
    domain: { text: "the public domain; without one, the gateway's own address", value: 'name' },
    path: { text: 'the public path; / for a new service', value: '/path' },
    proto: { text: 'how the web server is spoken to' },
    backendHost: { text: 'the host of the web server, behind a gateway node', value: 'host' },
    ...commonHelp,
    foreground: { text: 'show the requests as they come, and close the service on Ctrl+C' },
  },
  examples: [
    'sudo sallyport http web --port 8080 --domain app.example.com',
    'sudo sallyport http demo --port 3000 --path /demo --ttl 2h --foreground',
  ],
  async run(context, { port, path, proto, allow, block, ttl, foreground, ...rest }) {
    const backend = { pathLocation: path, backendPort: port, backendProto: proto };
    const given = { ...rest, ...backend, allowedIps: allow, blockedIps: block };
    await expose(context, 'http', httpCalls, given, { ttl, foreground, initial: { pathLocation: '/' } });
  },
});

const ofTcp = tcpServiceAttributes;

export const tcp = hostCommand({
  description:
    'Expose a TCP or UDP port of this host and answer with its public address. When there is a service of this name it is changed as the flags say and opened; the same command twice changes nothing.',
  words: ['name'],
  flags: z.strictObject({
    name: ofTcp.name.given,
    port: ofTcp.backendPort.given,
    publicPort: tcpServiceInput.shape.port,
    domain: domainOr('on its --public-port'),
    proto: ofTcp.proto.given,
    ssl: z.optional(z.boolean()),
    ...common,
  }),
  help: {
    name: { text: 'what the service is called' },
    port: { text: 'the port of the server' },
    publicPort: { text: "the gateway's port; the next free one for a new service", value: 'n' },
    domain: { text: 'the name in the public address', value: 'name' },
    proto: { text: 'the transport' },
    ssl: { text: 'the gateway terminates TLS', negatable: true },
    backendHost: { text: 'the host of the server, behind a gateway node', value: 'host' },
    ...commonHelp,
    foreground: { text: 'show the connections as they end, and close the service on Ctrl+C' },
  },
  examples: [
    'sudo sallyport tcp broker --port 1883',
    'sudo sallyport tcp game --port 27015 --proto udp --public-port 20015 --ttl 1d',
  ],
  async run(context, { port, publicPort, allow, block, ttl, foreground, ...rest }) {
    const given = { ...rest, backendPort: port, port: publicPort, allowedIps: allow, blockedIps: block };
    await expose(context, 'tcp', tcpCalls, given, { ttl, foreground });
  },
});

export const enable = hostCommand({
  description: 'Open a service of this host again, until it is disabled or for the time that --ttl says.',
  words: ['type', 'service'],
  flags: z.strictObject({ type: field.oneOf(serviceTypes), service: z.string(), ttl: timeToLive.ttl }),
  help: { ...whichHelp, ttl: ttlHelp },
  examples: ['sudo sallyport enable http web', 'sudo sallyport enable tcp 7 --ttl 2h'],
  async run(context, { type, service: text, ttl }) {
    const { host, calls, found, forward } = await ownService(context, type, text);
    const options = { signal: context.signal, ifMatch: found.version };
    const service = await calls.enable({ params: { id: found.id }, body: { ttl } }, options);
    await forward();
    const exposed = {
      service,
      change: 'changed',
      domainCreated: false,
      domainIsOwnName: false,
      formerAddress: null,
    } as const;
    await tellExposed(context, host, type, exposed, null);
  },
});

export const disable = hostCommand({
  description: 'Close a service of this host to visitors, and end the connections that are open.',
  words: ['type', 'service'],
  flags: z.strictObject({ type: field.oneOf(serviceTypes), service: z.string() }),
  help: whichHelp,
  examples: ['sudo sallyport disable http web', 'sudo sallyport disable tcp 7'],
  async run(context, { type, service: text }) {
    const { calls, found, forward } = await ownService(context, type, text);
    const service = await calls.disable({ params: { id: found.id } }, { signal: context.signal });
    await forward();
    context.io.say(`Closed "${service.name}".`);
    await context.io.answer({ type, service });
  },
});

type OwnService = HttpService | TcpService;
type SavedService = OwnService & { domainCreated: boolean; domainIsOwnName: boolean };
type BodyOf<C extends (call: never) => unknown> = Parameters<C>[0] extends { body: infer B } ? B : never;
type ById = { params: { id: number } };

/** The gateway's calls about the services of one type of this host's node. */
type ServiceCalls<Body> = {
  list: (call: {}, options: CallOptions) => Promise<{ data: OwnService[] }>;
  create: (call: { body: Body }, options: CallOptions) => Promise<SavedService>;
  update: (call: ById & { body: Partial<Body> }, options: CallOptions) => Promise<SavedService>;
  enable: (call: ById & { body: { ttl: string | null | undefined } }, options: CallOptions) => Promise<OwnService>;
  disable: (call: ById, options: CallOptions) => Promise<OwnService>;
};

const httpCalls = ({ cli }: Client): ServiceCalls<BodyOf<Client['cli']['exposeHttp']>> => ({
  list: cli.listHttp,
  create: cli.exposeHttp,
  update: cli.updateHttp,
  enable: cli.enableHttp,
  disable: cli.disableHttp,
});

const tcpCalls = ({ cli }: Client): ServiceCalls<BodyOf<Client['cli']['exposeTcp']>> => ({
  list: cli.listTcp,
  create: cli.exposeTcp,
  update: cli.updateTcp,
  enable: cli.enableTcp,
  disable: cli.disableTcp,
});

/** What came of an exposure. */
type Exposed = Pick<SavedService, 'domainCreated' | 'domainIsOwnName'> & {
  service: OwnService;
  change: 'created' | 'changed' | 'unchanged';
  /** Where it was until now, when it is elsewhere; null: it is where it was, or is new. */
  formerAddress: string | null;
};

type ExposeOptions<Body> = {
  ttl: string | null | undefined;
  foreground: boolean | undefined;
  /** What a new service has where nothing is given, and the contract has no default. */
  initial?: Partial<Body>;
};

/** Opens a service of this name as `given` says, and with `foreground` shows its requests until it is closed again. */
async function expose<Body extends { name: string; domain?: string | null | undefined } & BackendFlags>(
  context: Context,
  type: ServiceType,
  callsOf: (client: Client) => ServiceCalls<Body>,
  given: Body,
  { ttl, foreground, initial = {} }: ExposeOptions<Body>,
): Promise<void> {
  const { signal } = context;
  const host = await context.host();
  const config = host.config();
  const client = await host.client(config);
  const calls = callsOf(client);
  const { data } = await calls.list({}, { signal });
  const found = onlyOne(data, given.name);
  const exposure = exposureOf(type, given, found);
  const open = (node: OwnNode) =>
    openAs(calls, found, given, initial, ttl ?? undefined, signal).catch((error: unknown) => {
      throw explainRefusal(error, { ...initial, ...found, ...withoutUndefined(given) }, node);
    });
  const { result: exposed, found: port } = await exposePort(host, config, client, exposure, open, signal);
  await tellExposed(context, host, type, exposed, port);
  if (foreground) await showRequests(context, client, type, calls, exposed.service);
}

/** The flags that say which port of this host a service leads to. */
type BackendFlags = {
  backendPort?: number | null | undefined;
  backendHost?: string | null | undefined;
  proto?: TcpService['proto'] | null | undefined;
};

/** The port that the flags name; without any, that of the service that is there, or of a new web server. */
function exposureOf(type: ServiceType, given: BackendFlags, found: OwnService | undefined): Exposure {
  const { backendPort, backendHost, proto } = { ...found, ...withoutUndefined(given) };
  return {
    port: { proto: type === 'tcp' && proto === 'udp' ? 'udp' : 'tcp', port: backendPort ?? ofHttp.backendPort.initial },
    isNamed: typeof given.backendPort === 'number' || found === undefined,
    backendHost,
  };
}

/**
 * Makes sure that a service of this name is open as `given` says. What is not given stays as it is, or starts with the
 * contract's default; so the same command twice changes nothing.
 */
async function openAs<Body extends { name: string }>(
  calls: ServiceCalls<Body>,
  found: OwnService | undefined,
  given: Body,
  initial: Partial<Body>,
  ttl: string | undefined,
  signal: AbortSignal,
): Promise<Exposed> {
  const wanted = withoutUndefined(given);
  if (found === undefined) {
    const body = { ...initial, ...wanted, ...withoutUndefined({ ttl }) };
    const { domainCreated, domainIsOwnName, ...service } = await calls.create({ body }, { signal });
    return { service, change: 'created', domainCreated, domainIsOwnName, formerAddress: null };
  }
  const facts: Readonly<Record<string, unknown>> = found;
  const differs = Object.entries(wanted).some(([name, value]) => !isSame(facts[name], value));
  const reopens = !found.enabled || ttl !== undefined;
  const params = { id: found.id };
  let service = found;
  let [domainCreated, domainIsOwnName] = [false, false];
  // Both are refused when the service is not as it was read any more.
  if (differs) {
    const saved = await calls.update({ params, body: wanted }, { signal, ifMatch: service.version });
    ({ domainCreated, domainIsOwnName, ...service } = saved);
  }
  if (reopens) service = await calls.enable({ params, body: { ttl } }, { signal, ifMatch: service.version });
  const formerAddress = service.publicAccess === found.publicAccess ? null : found.publicAccess;
  const change = differs || reopens ? 'changed' : 'unchanged';
  return { service, change, domainCreated, domainIsOwnName, formerAddress };
}

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;

const isSame = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** The one service of this name, or else of this id; undefined when there is none. */
function onlyOne(services: readonly OwnService[], text: string): OwnService | undefined {
  const byName = services.filter(({ name }) => name === text);
  const [found, ...others] = byName.length > 0 ? byName : services.filter(({ id }) => String(id) === text);
  if (others.length === 0) return found;
  throw new Failure(
    'missing',
    `More than one service of this host is called "${text}".`,
    `Say which one by its id:\n${byName.map(({ id, publicAccess }) => `  ${id}  ${printable(publicAccess)}`).join('\n')}`,
  );
}

/** The service of this host with this name or id, and the calls about it. @throws {Failure} `missing`, with what there is */
async function ownService(context: Context, type: ServiceType, text: string) {
  const host = await context.host();
  const config = host.config();
  const client = await host.client(config);
  const calls: ServiceCalls<never> = type === 'http' ? httpCalls(client) : tcpCalls(client);
  const { data } = await calls.list({}, { signal: context.signal });
  const found = onlyOne(data, text);
  const forward = () => forwardNow(host, config, client, context.signal);
  if (found !== undefined) return { host, calls, found, forward };
  const list = data.map(({ id, name }) => `  ${id}  ${printable(name)}`).join('\n');
  throw new Failure(
    'missing',
    `This host has no ${type} service "${text}".`,
    list === ''
      ? `Expose one with \`${hostCommandLine(context.env, `${type} NAME --port PORT`)}\`.`
      : `There are:\n${list}`,
  );
}

const CHANGES = { created: 'is open', changed: 'is open as it is now', unchanged: 'was open already' } as const;

/** Answers with the public address, and says on standard error what else there is to know. */
async function tellExposed(
  { io, globals }: Context,
  { machine }: Host,
  type: ServiceType,
  { service, change, domainCreated, domainIsOwnName, formerAddress }: Exposed,
  port: ExposedPort | null,
): Promise<void> {
  const { problem, health, healthReason } = service;
  const until = service.expiresAt === null ? '' : `, until ${formatExact(service.expiresAt)}`;
  io.say(`Service "${service.name}" ${CHANGES[change]}${until}:`);
  if (globals.json) await io.answer({ type, change, domainCreated, service, ...(port && { backend: port }) });
  else await io.print(`${printable(service.publicAccess)}\n`);
  if (formerAddress !== null)
    io.say(`It is no longer at ${formerAddress}; a second page needs a service of another name.`);
  if ('pathLocation' in service && service.pathLocation !== '/')
    io.say(`Your web server is asked for ${service.pathLocation}: it must have its pages there.`);
  if (domainCreated) io.say(`The domain ${service.domain ?? ''} is new, with a self-signed certificate.`);
  if (domainIsOwnName) io.say('Its domain is a name of the gateway itself, so it has none.');
  if (problem !== null) io.say(`It is not served: ${problem}`);
  if (port !== null) io.say(port.sentence);
  const isExplained = port !== null && ['unreachable', 'none'].includes(port.state);
  if (problem === null && health === 'down' && !isExplained)
    io.say(`Nothing answers behind it yet: ${healthReason ?? 'no reason is known'}`);
  const unknown = await unknownName(machine, service.domain);
  if (unknown !== null) io.say(unknown);
}

/** How long the gateway may take to close the service after a Ctrl+C. */
const CLOSE_MAX_MS = 10_000;

/** Shows the requests to a service as they come, until Ctrl+C; then closes the service, and says so. */
async function showRequests(
  context: Context,
  client: Client,
  type: ServiceType,
  { disable: close }: ServiceCalls<never>,
  { id, name }: OwnService,
): Promise<void> {
  const { io, signal } = context;
  const write = logWriter(context);
  io.say('Requests show here. Ctrl+C closes the service.');
  try {
    const query = { type, id, lines: 0 };
    for await (const lines of client.log.watch({ query }, { signal, onState: streamNews(io) })) {
      const text = lines.filter((line) => line !== '').map(write);
      if (text.length > 0) await io.print(text.join(''));
    }
  } finally {
    try {
      // The user's signal has been used up; this call is what it was for.
      await close({ params: { id } }, { timeoutMs: CLOSE_MAX_MS });
      io.say(`Closed "${name}".`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      io.warn(`"${name}" stays open: ${reason}. Close it with \`sallyport disable ${type} ${id}\`.`);
    }
  }
  signal.throwIfAborted();
}
