import { printable } from '@sallyport/sdk';
import { type NodeQuery, node, nodeDefaults, nodeInput, nodePatch, nodeQuery } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { type Context, command } from '../context.ts';
import { findNode, whichNode } from '../find.ts';
import { saveSecret } from '../storedFile.ts';
import { nodeColumns } from '../ui/columns.ts';
import { allFlag, checkAll, pageHelp, printPage, printThing, showPage, tagHelp } from '../ui/show.ts';
import { changesOf, confirm, contractHelp, yesFlag } from '../ui/write.ts';

export const list = command({
  description:
    'List the nodes and how they are. On a terminal it is a table; piped it is one line a node, with tabs between exact values and no headings: id, name, type, status, address, last handshake (ISO 8601), bytes received, bytes sent.',
  flags: z.strictObject({ ...nodeQuery.shape, ...allFlag, watch: z.optional(z.boolean()) }),
  help: {
    type: { text: 'only plain nodes, or only gateways' },
    search: { text: 'only nodes whose name, address, tags or notes contain this' },
    ...tagHelp,
    ...pageHelp,
    watch: { text: 'go on showing what changes, until Ctrl+C' },
  },
  examples: [
    'sallyport node list --type gateways',
    'sallyport node list --watch',
    'sallyport node list --json | jq .total',
  ],
  async run(context, { watch, all, ...query }) {
    checkAll({ all, ...query });
    if (watch) return follow(context, query);
    const page = await (await context.client()).node.list({ query }, { signal: context.signal });
    await showPage(context, nodeColumns(context.now()), page, 'nodes');
  },
});

/** Live: a screen on a terminal; piped, each page whole, an empty line after it, or one line of JSON. */
async function follow(context: Context, query: NodeQuery): Promise<void> {
  const { io, globals, signal } = context;
  if (io.isTerminal && !globals.json) {
    const { watchNodes } = await import('../ui/watchNodes.tsx');
    return watchNodes(context, query);
  }
  const client = await context.client();
  // What is wrong with the query or the session shows here, before a stream starts that would only try again.
  await client.node.list({ query }, { signal });
  for await (const page of client.node.watch({ query }, { signal })) {
    await printPage(context, nodeColumns(context.now()), page);
    if (!globals.json) await io.print('\n');
  }
  signal.throwIfAborted();
}

export const show = command({
  description: 'Show everything about a node.',
  flags: z.strictObject(whichNode.flags),
  words: ['node'],
  help: whichNode.help,
  examples: ['sallyport node show edge', 'sallyport node show edge --json | jq -r .data.status'],
  async run(context, { node: which }) {
    await printThing(context, await findNode(context, which));
  },
});

export const create = command({
  description:
    "Create a node and its first access token. The token is shown this once; with it the node's own host signs in.",
  flags: nodeInput,
  words: ['name'],
  get help() {
    return contractHelp(nodeInput, node, { name: { text: 'the name of the node', value: 'name' } }, nodeDefaults);
  },
  examples: [
    'sallyport node create edge',
    'sallyport node create site --is-gateway --gateway-networks eth0=192.0.2.0/24',
    'sallyport node create edge --json | jq -r .data.token > token-file',
  ],
  async run(context, body) {
    const client = await context.client();
    const { id, name, token, ...created } = await client.node.create({ body }, { signal: context.signal });
    await printThing(context, { id, name, token, ...created });
    context.io.say('Keep the token now: it is not shown again.');
  },
});

const editFlags = z.extend(z.omit(nodePatch, { id: true }), whichNode.flags);

export const edit = command({
  description: 'Change a node. What is not given stays as it is; an empty value takes one away.',
  flags: editFlags,
  words: ['node'],
  get help() {
    return contractHelp(editFlags, node, whichNode.help);
  },
  examples: ['sallyport node edit edge --keepalive 25', "sallyport node edit edge --name attic --dns ''"],
  async run(context, { node: which, ...given }) {
    const body = changesOf(given);
    const { id, version } = await findNode(context, which);
    const client = await context.client();
    const options = { signal: context.signal, ifMatch: version };
    await printThing(context, await client.node.update({ params: { id }, body }, options));
  },
});

export const remove = command({
  description: 'Delete a node, its services and its access tokens.',
  flags: z.strictObject({ ...whichNode.flags, ...yesFlag.flags }),
  words: ['node'],
  help: { ...whichNode.help, ...yesFlag.help },
  examples: ['sallyport node delete edge', 'sallyport node delete edge --yes'],
  async run(context, { node: which, yes }) {
    const { id, name, version } = await findNode(context, which);
    await confirm(context, yes, `delete node "${name}", its services and its access tokens`);
    const client = await context.client();
    await client.node.remove({ params: { id } }, { signal: context.signal, ifMatch: version });
    context.io.say(`Deleted node "${name}".`);
    await context.io.answer({ deleted: { id, name } });
  },
});

export const enable = command({
  description: 'Let a node connect again.',
  flags: z.strictObject(whichNode.flags),
  words: ['node'],
  help: whichNode.help,
  examples: ['sallyport node enable edge'],
  async run(context, { node: which }) {
    const { id, version } = await findNode(context, which);
    const client = await context.client();
    const changed = await client.node.enable({ params: { id } }, { signal: context.signal, ifMatch: version });
    context.io.say(`Enabled node "${changed.name}".`);
    await context.io.answer({ data: changed });
  },
});

export const disable = command({
  description: 'Disconnect a node. Its services answer 503 until it is enabled again.',
  flags: z.strictObject(whichNode.flags),
  words: ['node'],
  help: whichNode.help,
  examples: ['sallyport node disable edge'],
  async run(context, { node: which }) {
    const { id } = await findNode(context, which);
    const client = await context.client();
    const changed = await client.node.disable({ params: { id } }, { signal: context.signal });
    context.io.say(`Disabled node "${changed.name}".`);
    await context.io.answer({ data: changed });
  },
});

export const config = command({
  description:
    "Print a node's WireGuard configuration, for a host that joins with WireGuard alone. It holds the node's private key: --output keeps it in a file that only its owner may read.",
  flags: z.strictObject({ ...whichNode.flags, output: z.optional(z.string()) }),
  words: ['node'],
  help: {
    ...whichNode.help,
    output: { text: 'write it to this file, with mode 0600, instead of standard output', value: 'file' },
  },
  examples: ['sallyport node config edge --output sallyport.conf', 'sallyport node config edge | qrencode -t utf8'],
  async run(context, { node: which, output }) {
    const { io, globals } = context;
    const { id, name } = await findNode(context, which);
    const file = await (await context.client()).node.download({ params: { id } }, { signal: context.signal });
    const text = await file.data.text();
    if (output !== undefined) {
      saveSecret(output, text);
      return io.say(`Wrote the configuration of node "${name}" to ${output}.`);
    }
    if (!globals.json) return io.print(`${text.trimEnd().split('\n').map(printable).join('\n')}\n`);
    await io.answer({ data: { id, name, fileName: file.name, config: text } });
  },
});
