import { field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { saveSecret } from '../../ui/saveSecret.ts';
import { jsonText } from '../../ui/json.ts';

export const config = command({
  description:
    "Print a node's WireGuard configuration, for a host that joins with WireGuard alone. It holds the node's private key: --output keeps it in a file that only its owner may read.",
  flags: z.strictObject({ node: field.requiredText(), output: z.optional(z.string()) }),
  words: ['node'],
  help: {
    node: { text: 'its name or id', value: 'name|id' },
    output: { text: 'write it to this file, with mode 0600, instead of standard output', value: 'file' },
  },
  examples: ['sallyport node config edge --output sallyport.conf', 'sallyport node config edge | qrencode -t utf8'],
  async run(context, { node, output }) {
    const { id, name } = await (await context.find()).node(node);
    const file = await (await context.client()).node.download({ params: { id } }, { signal: context.signal });
    const text = await file.data.text();
    if (output !== undefined) {
      await saveSecret(output, text);
      context.io.say(`Wrote the configuration of node "${name}" to ${output}.`);
      return;
    }
    await context.io.print(
      context.globals.json
        ? jsonText({ data: { id, name, fileName: file.name, config: text } }, 2)
        : `${text.trimEnd()}\n`,
    );
  },
});
