import {
  check,
  field,
  httpService,
  httpServiceDefaults,
  httpServiceInput,
  httpServicePatch,
  tcpService,
  tcpServiceDefaults,
  tcpServiceInput,
  tcpServicePatch,
} from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { type Context, command } from '../context.ts';
import { Failure } from '../failure.ts';
import { findNode, findService, whichService } from '../find.ts';
import type { ServiceRow } from '../ui/columns.ts';
import { printThing } from '../ui/show.ts';
import { changesOf, contractHelp } from '../ui/write.ts';
import { explainTaken } from '../serviceTaken.ts';

const ttlHelp = { text: 'close it by itself after this time, like 30s, 10m, 2h or 1d', value: 'time' };
const createHelp = {
  name: { text: 'the name of the service', value: 'name' },
  node: { text: 'the node that it is on', value: 'name|id' },
  ttl: ttlHelp,
};

const httpFlags = z.extend(httpServiceInput, { node: field.requiredText() });

export const http = command({
  description:
    'Expose a web server of a node under a domain, a path, or both. The answer comes when visitors can reach it.',
  flags: httpFlags,
  words: ['name'],
  get help() {
    return contractHelp(httpFlags, httpService, createHelp, httpServiceDefaults);
  },
  examples: [
    'sallyport service create http web --node edge --domain app.example.com --backend-port 8080',
    'sallyport service create http wiki --node site --path-location /wiki --backend-host 192.0.2.20 --ttl 2h',
  ],
  async run(context, { node, ...body }) {
    const { id: nodeId } = await findNode(context, node);
    const client = await context.client();
    const saved = await client.httpService
      .create({ params: { nodeId }, body }, { signal: context.signal })
      .catch(async (error: unknown) => {
        throw await explainTaken(context, error, body);
      });
    await printThing(context, { type: 'http', ...saved });
    saySaved(context, saved);
  },
});

const tcpFlags = z.extend(tcpServiceInput, { node: field.requiredText() });

export const tcp = command({
  description: 'Expose a TCP or UDP port of a node under a port of the gateway. The answer comes when it is open.',
  flags: tcpFlags,
  words: ['name'],
  get help() {
    const port = { text: 'the public port; the next free one unless given' };
    return contractHelp(tcpFlags, tcpService, { ...createHelp, port }, tcpServiceDefaults);
  },
  examples: [
    'sallyport service create tcp mqtt --node edge --backend-port 1883',
    'sallyport service create tcp dns --node edge --proto udp --backend-port 53 --port 20053',
  ],
  async run(context, { node, ...body }) {
    const { id: nodeId } = await findNode(context, node);
    const client = await context.client();
    const saved = await client.tcpService
      .create({ params: { nodeId }, body }, { signal: context.signal })
      .catch(async (error: unknown) => {
        throw await explainTaken(context, error, { port: body.port });
      });
    await printThing(context, { type: 'tcp', ...saved });
    saySaved(context, saved);
  },
});

const httpFields = z.omit(httpServicePatch, { id: true });
const tcpFields = z.omit(tcpServicePatch, { id: true });
// Which kind it is shows when it is found; until then the flags of both may be meant.
const editFlags = z.strictObject({ ...httpFields.shape, ...tcpFields.shape, ...whichService.flags });

export const edit = command({
  description:
    'Change a service. What is not given stays as it is; an empty value takes one away. HTTP and TCP services have flags of their own.',
  flags: editFlags,
  words: ['service'],
  get help() {
    return contractHelp(editFlags, z.object({ ...tcpService.shape, ...httpService.shape }), {
      ...whichService.help,
      ttl: ttlHelp,
      port: { text: 'the public port (TCP services)' },
      proto: { text: 'the transport (TCP services)' },
      ssl: { text: 'the gateway terminates TLS (TCP services)', negatable: true },
    });
  },
  examples: [
    'sallyport service edit web --backend-port 8081',
    'sallyport service edit web --allowed-ips 192.0.2.0/24,198.51.100.7',
    "sallyport service edit web --allowed-ips ''",
  ],
  async run(context, { service, node, type, ...given }) {
    changesOf(given);
    const found = await findService(context, { service, node, type });
    const target = { params: { nodeId: found.nodeId, id: found.id } };
    const client = await context.client();
    const options = { signal: context.signal, ifMatch: found.version };
    const saved = await (
      found.type === 'http'
        ? client.httpService.update({ ...target, body: fitting(httpFields, given, found) }, options)
        : client.tcpService.update({ ...target, body: fitting(tcpFields, given, found) }, options)
    ).catch(async (error: unknown) => {
      throw await explainTaken(context, error, { ...found, ...given });
    });
    await printThing(context, { type: found.type, ...saved });
    saySaved(context, saved);
  },
});

/** What was given, as far as a service of this kind has it; a flag of the other kind is wrong usage. */
function fitting<S extends z.ZodMiniType>(
  fields: S,
  given: object,
  { type, name }: { type: string; name: string },
): z.output<S> {
  const checked = check(fields, given);
  if (checked.ok) return checked.value;
  throw new Failure(
    'usage',
    `"${name}" is ${type === 'http' ? 'an HTTP' : 'a TCP'} service: ${checked.problems.map(({ message }) => message).join(', ')}.`,
    'See --help.',
  );
}

type Saved = Pick<ServiceRow, 'id' | 'enabled' | 'publicAccess' | 'problem' | 'health' | 'healthReason'> & {
  domainCreated: boolean;
  domainIsOwnName: boolean;
};

/** Says what a service that was saved is missing before visitors can use it, and where they reach it. */
function saySaved({ io }: Context, saved: Saved): void {
  const { id, enabled, publicAccess, problem, health, healthReason, domainCreated, domainIsOwnName } = saved;
  if (domainCreated) io.say('Its domain was unknown and has been added, self-signed and without validation.');
  if (domainIsOwnName) io.say('Its domain is a name of the gateway itself, so it was saved without a domain.');
  if (!enabled) io.say(`It is closed to visitors; \`sallyport service enable ${id}\` opens it.`);
  else if (problem !== null) io.say(`It cannot be served yet: ${problem}`);
  else io.say(`Visitors reach it at ${publicAccess}.`);
  if (health === 'down') io.say(`Its backend does not answer${healthReason ? `: ${healthReason}` : '.'}`);
}
