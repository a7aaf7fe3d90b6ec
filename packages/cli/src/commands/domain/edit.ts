import { field, domain, domainPatch } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { changesOf, contractHelp } from '../../ui/contractHelp.ts';
import { show } from '../../ui/show.ts';

// The name of a domain cannot be changed; here it says which one is meant.
const flags = z.extend(z.omit(domainPatch, { id: true, domain: true }), { domain: field.requiredText() });

export const edit = command({
  description:
    'Change a domain. What is not given stays as it is; an empty value takes one away. When authentication is turned off, its protected services answer 503 unless --publish says that everybody may see them.',
  flags,
  words: ['domain'],
  help: contractHelp(flags, domain, {
    domain: { text: 'its name or id', value: 'name|id' },
    publish: { text: 'with --no-authentication: everybody may see what was protected' },
  }),
  examples: [
    'sallyport domain edit app.example.com --ssl certbot',
    "sallyport domain edit app.example.com --allowed-emails ''",
  ],
  async run(context, { domain: which, ...given }) {
    const body = changesOf(given);
    const { id, version } = await (await context.find()).domain(which);
    const client = await context.client();
    const options = { signal: context.signal, ifMatch: version };
    await show(context, await client.domain.update({ params: { id }, body }, options));
  },
});
