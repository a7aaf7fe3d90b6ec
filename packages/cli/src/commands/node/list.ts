import type { Node, NodeQuery, Page } from '@sallyport/sdk/contract';
import { nodeQuery } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import type { Context } from '../../context.ts';
import { command } from '../../context.ts';
import { jsonText } from '../../ui/json.ts';
import { nodeColumns } from '../../ui/nodeColumns.ts';
import { tabLines, tableLines } from '../../ui/table.ts';

export const list = command({
  description:
    'List the nodes and how they are. On a terminal it is a table; piped it is one line a node, with tabs between exact values and no headings: id, name, type, status, address, last handshake (ISO 8601), bytes received, bytes sent.',
  flags: z.strictObject({ ...nodeQuery.shape, watch: z.optional(z.boolean()) }),
  help: {
    type: { text: 'only plain nodes, or only gateways' },
    search: { text: 'only nodes whose name or address contains this' },
    page: { text: 'the page to show' },
    limit: { text: 'rows on a page; all when left out' },
    orderBy: { text: 'the order', value: 'column,direction' },
    watch: { text: 'go on showing what changes, until Ctrl+C' },
  },
  examples: [
    'sallyport node list --type gateways',
    'sallyport node list --watch',
    'sallyport node list --json | jq .total',
  ],
  async run(context, { watch, ...query }) {
    if (watch) return follow(context, query);
    const page = await (await context.client()).node.list({ query }, { signal: context.signal });
    await show(context, page, 2);
    if (page.data.length === 0) context.io.say('There are no such nodes.');
    else if (page.data.length < page.total) {
      context.io.say(`Page ${page.page}: ${page.data.length} of ${page.total} nodes.`);
    }
  },
});

/** Prints one page in the form that fits whoever reads it. */
async function show({ io, globals, now }: Context, page: Page<Node>, indent?: number): Promise<void> {
  const columns = nodeColumns(now());
  if (globals.json) return io.print(jsonText(page, indent));
  if (page.data.length === 0) return;
  const lines = io.isTerminal ? tableLines(columns, page.data, io.columns(), io.paint) : tabLines(columns, page.data);
  return io.print(`${lines.join('\n')}\n`);
}

/** Live: a screen on a terminal; piped, each page whole, an empty line behind it, or one line of JSON. */
async function follow(context: Context, query: NodeQuery): Promise<void> {
  const { io, globals, signal } = context;
  const client = await context.client();
  // What is wrong with the query or the session shows here, before a stream starts that would only try again.
  const first = await client.node.list({ query }, { signal });
  if (io.isTerminal && !globals.json) {
    const { watchNodes } = await import('../../ui/watchNodes.tsx');
    return watchNodes(context, first, (options) => client.node.watch({ query }, options));
  }
  for await (const page of client.node.watch({ query }, { signal })) {
    await show(context, page);
    if (!globals.json) await io.print('\n');
  }
  signal.throwIfAborted();
}
