import type { Client } from '@sallyport/sdk';
import {
  type Page,
  allHttpServicesQuery,
  allTcpServicesQuery,
  check,
  field,
  serviceTypes,
} from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { type Context, Failure, command } from '../../context.ts';
import { allFlag, checkAll, pageHelp, showPage } from '../../ui/show.ts';
import { type ServiceRow, httpRow, serviceColumns, tcpRow } from '../../ui/columns.ts';

const { nodeId: _node, orderBy: _order, ...shared } = allHttpServicesQuery.shape;
const flags = z.strictObject({
  ...shared,
  orderBy: z.optional(z.string()),
  node: z.optional(z.string()),
  type: z.optional(field.oneOf(serviceTypes)),
  ...allFlag,
});

export const list = command({
  description:
    'List the services of both types, of all nodes. Piped it is one line a service, with tabs between: id, name, type, node id, state (open, closed or failing), public address, backend health, end of its time to live (ISO 8601).',
  flags,
  help: {
    ...pageHelp,
    search: { text: 'only services whose name, domain or address contains this' },
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
    const nodeId = node === undefined ? undefined : (await (await context.find()).node(node)).id;
    const query = { ...given, ...(nodeId === undefined ? {} : { nodeId }) };
    const client = await context.client();
    const page = type === undefined ? await bothOf(context, client, query) : await oneOf(context, client, type, query);
    await showPage(context, serviceColumns, page, 'services');
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
