import { type NodeQuery, nodeQuery } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { type Context, command } from '../../context.ts';
import { allFlag, checkAll, pageHelp, printPage, showPage } from '../../ui/show.ts';
import { nodeColumns } from '../../ui/columns.ts';

export const list = command({
  description:
    'List the nodes and how they are. On a terminal it is a table; piped it is one line a node, with tabs between exact values and no headings: id, name, type, status, address, last handshake (ISO 8601), bytes received, bytes sent.',
  flags: z.strictObject({ ...nodeQuery.shape, ...allFlag, watch: z.optional(z.boolean()) }),
  help: {
    type: { text: 'only plain nodes, or only gateways' },
    search: { text: 'only nodes whose name or address contains this' },
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

/** Live: a screen on a terminal; piped, each page whole, an empty line behind it, or one line of JSON. */
async function follow(context: Context, query: NodeQuery): Promise<void> {
  const { io, globals, signal } = context;
  if (io.isTerminal && !globals.json) {
    const { watchNodes } = await import('../../ui/watchNodes.tsx');
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
