import { field, contract } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { allFlag, checkAll, pageHelp, showPage } from '../../ui/show.ts';
import { tokenColumns } from '../../ui/columns.ts';

export const list = command({
  description:
    "List a node's access tokens; their secrets are never shown. Piped it is one line a token, with tabs between: id, name, status, end (ISO 8601), last used (ISO 8601).",
  flags: z.strictObject({ ...contract.token.list.query.shape, node: field.requiredText(), ...allFlag }),
  help: {
    ...pageHelp,
    search: { text: 'only tokens whose name contains this' },
    node: { text: 'the node that they belong to', value: 'name|id' },
  },
  examples: ['sallyport token list --node edge'],
  async run(context, { node, all, ...query }) {
    checkAll({ all, ...query });
    const { id } = await (await context.find()).node(node);
    const client = await context.client();
    const page = await client.token.list({ params: { id }, query }, { signal: context.signal });
    await showPage(context, tokenColumns(context.now()), page, 'access tokens');
  },
});
