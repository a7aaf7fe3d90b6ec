import { domainQuery } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { allFlag, checkAll, pageHelp, showPage } from '../../ui/show.ts';
import { domainColumns } from '../../ui/columns.ts';

export const list = command({
  description:
    'List the domains. Piped it is one line a domain, with tabs between: id, name, certificate, authentication (yes or no), problem.',
  flags: z.strictObject({ ...domainQuery.shape, ...allFlag }),
  help: { ...pageHelp, search: { text: 'only domains whose name contains this' } },
  examples: ['sallyport domain list', 'sallyport domain list --search example.com --json'],
  async run(context, { all, ...query }) {
    checkAll({ all, ...query });
    const page = await (await context.client()).domain.list({ query }, { signal: context.signal });
    await showPage(context, domainColumns, page, 'domains');
  },
});
