import { type ServiceType, serviceQuery } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { type Context, command } from '../context.ts';
import { findNode, findService, whichService } from '../find.ts';
import { closedByTime, serviceColumns } from '../ui/columns.ts';
import { allFlag, checkAll, pageHelp, printThing, showPage, tagHelp } from '../ui/show.ts';
import { confirm, yesFlag } from '../ui/write.ts';

const { nodeId: _node, ...shared } = serviceQuery.shape;

export const list = command({
  description:
    'List the services of both types, of all nodes. Piped it is one line a service, with tabs between: id, name, type, node id, state (open, closed or failing), public address, backend health, end of its time to live (ISO 8601).',
  flags: z.strictObject({ ...shared, node: z.optional(z.string()), ...allFlag }),
  help: {
    ...pageHelp,
    ...tagHelp,
    search: { text: 'only services whose name, address, backend, node, tags or notes contain this' },
    domain: { text: 'only services of this domain', value: 'name' },
    node: { text: 'only services of this node', value: 'name|id' },
    type: { text: 'only HTTP services, or only TCP and UDP services' },
    proto: { text: 'only TCP services, or only UDP services' },
    status: { text: 'only services that are so; failing: open, and not served as saved' },
    access: { text: 'only services that let in everyone, who signs in, or by a list of addresses' },
  },
  examples: [
    'sallyport service list --node edge',
    'sallyport service list --status down',
    'sallyport service list --type tcp --order-by port,asc',
    `sallyport service list --json | jq -r '.data[] | select(.health == "down") | .name'`,
  ],
  async run(context, { all, node, ...given }) {
    checkAll({ all, ...given });
    const query = node === undefined ? given : { ...given, nodeId: (await findNode(context, node)).id };
    const page = await (await context.client()).service.list({ query }, { signal: context.signal });
    await showPage(context, serviceColumns(context.now()), page, 'services');
  },
});

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
