import { formatExact, printable, type Client } from '@sallyport/sdk';
import type { HttpService, ServiceType, TcpService } from '@sallyport/sdk/contract';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { jsonText } from '../ui/json.ts';

/** A service of this host, of either type. */
export type OwnService = HttpService | TcpService;

/** The gateway's calls about the services of one type of this host's node. */
export type ServiceCalls<Input> = {
  list: () => Promise<{ data: OwnService[] }>;
  create: (body: Input) => Promise<OwnService & { domainCreated: boolean; domainIsOwnName: boolean }>;
  /** Refused when the service is not as it was read any more; so is `enable`. */
  update: (read: OwnService, body: Partial<Input>) => Promise<OwnService & { domainIsOwnName: boolean }>;
  enable: (read: OwnService, ttl: string | undefined) => Promise<OwnService>;
};

/** What came of an exposure. */
export type Exposed = {
  service: OwnService;
  change: 'created' | 'changed' | 'unchanged';
  domainCreated: boolean;
  domainIsOwnName: boolean;
};

/**
 * Makes sure that a service of this name is open as `given` says. What is not given stays as it is, or starts with the
 * contract's default; so the same command twice changes nothing.
 */
export async function expose<Input extends { name: string }>(
  calls: ServiceCalls<Input>,
  given: Input,
  ttl: string | undefined,
): Promise<Exposed> {
  const wanted = withoutUndefined(given);
  const { data } = await calls.list();
  const found = onlyOne(data, given.name);
  if (found === undefined) {
    const created = await calls.create({ ...wanted, ...withoutUndefined({ ttl }) });
    const { domainCreated, domainIsOwnName, ...service } = created;
    return { service, change: 'created', domainCreated, domainIsOwnName };
  }
  const facts: Readonly<Record<string, unknown>> = found;
  const differs = Object.entries(wanted).filter(([field, value]) => !isSame(facts[field], value));
  const reopens = !found.enabled || ttl !== undefined;
  let service = found;
  let domainIsOwnName = false;
  // An update checks the whole service, which needs its name.
  if (differs.length > 0) ({ domainIsOwnName, ...service } = await calls.update(service, { ...wanted }));
  if (reopens) service = await calls.enable(service, ttl);
  const change = differs.length > 0 || reopens ? 'changed' : 'unchanged';
  return { service, change, domainCreated: false, domainIsOwnName };
}

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;

const isSame = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** The one service of this name, or else of this id; undefined when there is none. */
export function onlyOne(services: readonly OwnService[], text: string): OwnService | undefined {
  const byName = services.filter(({ name }) => name === text);
  const [found, ...others] = byName.length > 0 ? byName : services.filter(({ id }) => String(id) === text);
  if (others.length === 0) return found;
  throw new Failure(
    'missing',
    `More than one service of this host is called "${text}".`,
    `Say which one by its id:\n${byName.map(({ id, publicAccess }) => `  ${id}  ${printable(publicAccess)}`).join('\n')}`,
  );
}

const CHANGES = { created: 'is open', changed: 'is open as it is now', unchanged: 'was open already' } as const;

/** Answers with the public address, and says on standard error what else there is to know. */
export async function tellExposed(
  { io, globals }: Pick<Context, 'io' | 'globals'>,
  type: ServiceType,
  { service, change, domainCreated, domainIsOwnName }: Exposed,
): Promise<void> {
  const until = service.expiresAt === null ? '' : `, until ${formatExact(service.expiresAt)}`;
  io.say(`Service "${service.name}" ${CHANGES[change]}${until}:`);
  if (globals.json) await io.print(jsonText({ type, change, domainCreated, service }, 2));
  else await io.print(`${printable(service.publicAccess)}\n`);
  if (domainCreated) io.say(`The domain ${service.domain ?? ''} is new, with a self-signed certificate.`);
  if (domainIsOwnName) io.say('Its domain is a name of the gateway itself, so it has none.');
  for (const remark of remarksOn(service)) io.say(remark);
}

/** What stands in a visitor's way. */
export function remarksOn({ problem, health, healthReason }: OwnService): string[] {
  if (problem !== null) return [`It is not served: ${problem}`];
  return health === 'down' ? [`Nothing answers behind it yet: ${healthReason ?? 'no reason is known'}`] : [];
}

/** The service of this host with this name or id. @throws {Failure} `missing`, with what there is */
export async function ownService(
  { cli }: Client,
  type: ServiceType,
  text: string,
  signal: AbortSignal,
): Promise<OwnService> {
  const { data } = type === 'http' ? await cli.listHttp({}, { signal }) : await cli.listTcp({}, { signal });
  const found = onlyOne(data, text);
  if (found !== undefined) return found;
  const list = data.map(({ id, name }) => `  ${id}  ${printable(name)}`).join('\n');
  throw new Failure(
    'missing',
    `This host has no ${type} service "${text}".`,
    list === '' ? `Expose one with \`sallyport ${type} NAME --port PORT\`.` : `There are:\n${list}`,
  );
}
