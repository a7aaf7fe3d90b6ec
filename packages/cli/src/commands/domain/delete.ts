import { field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { confirm, yesFlag, yesHelp } from '../../ui/confirm.ts';
import { jsonText } from '../../ui/json.ts';

export const remove = command({
  description: 'Delete a domain and the services that are reached by it.',
  flags: z.strictObject({ domain: field.requiredText(), ...yesFlag }),
  words: ['domain'],
  help: { domain: { text: 'its name or id', value: 'name|id' }, ...yesHelp },
  examples: ['sallyport domain delete app.example.com --yes'],
  async run(context, { domain, yes }) {
    const { id, domain: name, version } = await (await context.find()).domain(domain);
    await confirm(context, yes, `delete domain "${name}" and the services that are reached by it`);
    const options = { signal: context.signal, ifMatch: version };
    await (await context.client()).domain.remove({ params: { id } }, options);
    context.io.say(`Deleted domain "${name}".`);
    if (context.globals.json) await context.io.print(jsonText({ deleted: { id, name } }, 2));
  },
});
