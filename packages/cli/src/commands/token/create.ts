import { field, token, tokenInput } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { contractHelp } from '../../ui/contractHelp.ts';
import { saveSecret } from '../../ui/saveSecret.ts';
import { jsonText } from '../../ui/json.ts';

const flags = z.extend(tokenInput, { node: field.requiredText(), output: z.optional(z.string()) });

export const create = command({
  description:
    'Make an access token for a node and print its secret, this once: alone on a line, so that it can be kept in a file. --output writes that file with mode 0600.',
  flags,
  words: ['name'],
  help: contractHelp(flags, token, {
    name: { text: 'the name of the token', value: 'name' },
    node: { text: 'the node that it is for', value: 'name|id' },
    expireAt: { text: 'when it ends, ISO 8601; never when left out', value: 'time' },
    output: { text: 'write the secret to this file, with mode 0600, instead of standard output', value: 'file' },
  }),
  examples: [
    'sallyport token create ci --node edge --output token-file',
    'sallyport token create ci --node edge --expire-at 2027-01-31',
  ],
  async run(context, { node, output, ...body }) {
    const { id } = await (await context.find()).node(node);
    const client = await context.client();
    const { token: secret, ...created } = await client.token.create(
      { params: { id }, body },
      { signal: context.signal },
    );
    if (output !== undefined) {
      await saveSecret(output, `${secret}\n`);
      context.io.say(`Wrote the token to ${output}.`);
      if (context.globals.json) await context.io.print(jsonText({ data: created }, 2));
      return;
    }
    await context.io.print(context.globals.json ? jsonText({ data: { ...created, token: secret } }, 2) : `${secret}\n`);
    context.io.say('Keep the token now: it is not shown again.');
  },
});
