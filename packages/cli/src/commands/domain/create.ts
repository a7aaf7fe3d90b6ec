import { domain, domainDefaults, domainInput } from '@sallyport/sdk/contract';
import { command } from '../../context.ts';
import { contractHelp } from '../../ui/contractHelp.ts';
import { show } from '../../ui/show.ts';

export const create = command({
  description: 'Add a domain. Unless validation is skipped it must point to the gateway.',
  flags: domainInput,
  words: ['domain'],
  help: contractHelp(
    domainInput,
    domain,
    { domain: { text: 'the name of the domain', value: 'name' } },
    domainDefaults,
  ),
  examples: [
    'sallyport domain create app.example.com --ssl certbot',
    'sallyport domain create app.example.com --skip-validation',
    'sallyport domain create app.example.com --authentication --allowed-emails a@example.com,b@example.com',
  ],
  async run(context, body) {
    const client = await context.client();
    await show(context, await client.domain.create({ body }, { signal: context.signal }));
  },
});
