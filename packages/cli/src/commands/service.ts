import type { Client } from '@sallyport/sdk';
import {
  type Page,
  type ServiceType,
  allHttpServicesQuery,
  allTcpServicesQuery,
  check,
  field,
  serviceTypes,
} from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { type Context, command } from '../context.ts';
import { Failure } from '../failure.ts';
import { findNode, findService, whichService } from '../find.ts';
import { type ServiceRow, closedByTime, httpRow, serviceColumns, tcpRow } from '../ui/columns.ts';
import { allFlag, checkAll, pageHelp, printThing, showPage, tagHelp } from '../ui/show.ts';
import { confirm, yesFlag } from '../ui/write.ts';

const { nodeId: _node, orderBy: _order, ...shared } = allHttpServicesQuery.shape;
const listFlags = z.strictObject({
  ...shared,
  orderBy: z.optional(z.string()),
  node: z.optional(z.string()),
  type: z.optional(field.oneOf(serviceTypes)),
  ...allFlag,
});

export const list = command({
  description:
    'List the services of both types, of all nodes. Piped it is one line a service, with tabs between: id, name, type, node id, state (open, closed or failing), public address, backend health, end of its time to live (ISO 8601).',
  flags: listFlags,
  help: {
    ...pageHelp,
    ...tagHelp,
    search: { text: 'only services whose name, domain, address, tags or notes contain this' },
    domain: { text: 'only services of this domain', value: 'name' },
    node: { text: 'only services of this node', value: 'name|id' },
    type: { text: 'only services of this type' },
  },
  examples: [
    'sallyport service list --node edge',
    'sallyport service list --type tcp --order-by port,asc',
    `sallyport service list --json | jq -r '.data[] | select(.health == "down") | .name'`,
  ],
  async run(context, { all, node, type, ...given }) {
    checkAll({ all, ...given });
    const query = node === undefined ? given : { ...given, nodeId: (await findNode(context, node)).id };
    const client = await context.client();
    const page = type === undefined ? await bothOf(context, client, query) : await oneOf(context, client, type, query);
    await showPage(context, serviceColumns(context.now()), page, 'services');
  },
});

type Query = { page?: number | undefined; limit?: number | undefined; orderBy?: string | undefined };

/** A page of one type, as the gateway pages it. */
async function oneOf(
  { signal }: Context,
  client: Client,
  type: 'http' | 'tcp',
  given: Query,
): Promise<Page<ServiceRow>> {
  if (type === 'http') {
    const page = await client.httpService.listAll({ query: checked(allHttpServicesQuery, given) }, { signal });
    return { ...page, data: page.data.map(httpRow) };
  }
  const page = await client.tcpService.listAll({ query: checked(allTcpServicesQuery, given) }, { signal });
  return { ...page, data: page.data.map(tcpRow) };
}

/** A page of both types together: the gateway gives all rows of each, this puts them in one order. */
async function bothOf(context: Context, client: Client, given: Query): Promise<Page<ServiceRow>> {
  // An order must be one that both types have.
  checked(allHttpServicesQuery, given);
  checked(allTcpServicesQuery, given);
  const { page = 1, limit, orderBy = 'id,asc', ...filter } = given;
  const [http, tcp] = await Promise.all([
    oneOf(context, client, 'http', filter),
    oneOf(context, client, 'tcp', filter),
  ]);
  const [column = 'id', direction] = orderBy.split(',');
  const sign = direction === 'desc' ? -1 : 1;
  const rows = [...http.data, ...tcp.data].toSorted((one, other) => sign * compare(one, other, column));
  const size = limit ?? rows.length;
  return { data: rows.slice((page - 1) * size, page * size), page, limit: size, total: rows.length };
}

function compare(one: ServiceRow, other: ServiceRow, column: string): number {
  const [left, right] = [one, other].map((row) => (row as Readonly<Record<string, unknown>>)[column] ?? '');
  if (typeof left === 'string' && typeof right === 'string') return left.localeCompare(right);
  return Number(left) - Number(right);
}

function checked<S extends z.ZodMiniType>(schema: S, query: object): z.output<S> {
  const result = check(schema, query);
  if (result.ok) return result.value;
  const wrong = result.problems.map(({ field: name, message }) =>
    name === 'orderBy' ? message.replace('This field', '--order-by') : message,
  );
  throw new Failure('usage', `${wrong.join(' ')}.`, 'With --type a list has the orders of that type; see --help.');
}

export const show = command({
  description: 'Show everything about a service, also whether its backend answers and why not.',
  flags: z.strictObject(whichService.flags),
  words: ['service'],
  help: whichService.help,
  examples: ['sallyport service show web', 'sallyport service show web --json | jq -r .data.publicAccess'],
  async run(context, which) {
    const service = await findService(context, which);
    const closed = context.io.isTerminal && !context.globals.json ? closedByTime(service) : null;
    // For people at their own time of day.
    await printThing(context, closed === null ? service : { ...service, problem: `${closed}.` });
  },
});

export const remove = command({
  description: 'Delete a service. Visitors reach it no longer.',
  flags: z.strictObject({ ...whichService.flags, ...yesFlag.flags }),
  words: ['service'],
  help: { ...whichService.help, ...yesFlag.help },
  examples: ['sallyport service delete web', 'sallyport service delete web --node edge --yes'],
  async run(context, { yes, ...which }) {
    const { type, id, nodeId, name, version } = await findService(context, which);
    await confirm(context, yes, `delete service "${name}"`);
    const calls = await callsOf(context, type);
    await calls.remove({ params: { nodeId, id } }, { signal: context.signal, ifMatch: version });
    context.io.say(`Deleted service "${name}".`);
    await context.io.answer({ deleted: { type, id, name } });
  },
});

export const enable = command({
  description: 'Open a service to visitors, without a time to live.',
  flags: z.strictObject(whichService.flags),
  words: ['service'],
  help: whichService.help,
  examples: ['sallyport service enable web', 'sallyport service enable web --node edge'],
  async run(context, which) {
    const { type, id, nodeId, version } = await findService(context, which);
    const calls = await callsOf(context, type);
    const changed = await calls.enable({ params: { nodeId, id } }, { signal: context.signal, ifMatch: version });
    context.io.say(`Enabled service "${changed.name}".`);
    await context.io.answer({ data: { type, ...changed } });
  },
});

export const disable = command({
  description: 'Close a service to visitors. Connections that are open end.',
  flags: z.strictObject(whichService.flags),
  words: ['service'],
  help: whichService.help,
  examples: ['sallyport service disable web', 'sallyport service disable web --node edge'],
  async run(context, which) {
    const { type, id, nodeId } = await findService(context, which);
    const calls = await callsOf(context, type);
    const changed = await calls.disable({ params: { nodeId, id } }, { signal: context.signal });
    context.io.say(`Disabled service "${changed.name}".`);
    await context.io.answer({ data: { type, ...changed } });
  },
});

async function callsOf(context: Context, type: ServiceType) {
  const client = await context.client();
  return type === 'http' ? client.httpService : client.tcpService;
}
