import { printable } from '@sallyport/sdk';
import { contract, field, joinKey, joinKeyDefaults, joinKeyShape } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../context.ts';
import { findJoinKey, findNode, whichJoinKey } from '../find.ts';
import { saveSecret } from '../storedFile.ts';
import { allFlag, checkAll, pageHelp, showPage } from '../ui/show.ts';
import { joinKeyColumns } from '../ui/columns.ts';
import { confirm, contractHelp, yesFlag } from '../ui/write.ts';

export const list = command({
  description:
    'List the keys by which hosts join; their codes are never shown. Piped it is one line a key, with tabs between: id, name, what it is for, uses, end (ISO 8601).',
  flags: z.strictObject({ ...contract.joinKey.list.query.shape, ...allFlag }),
  help: { ...pageHelp, search: { text: 'only keys whose name contains this' } },
  examples: ['sallyport join-key list'],
  async run(context, { all, ...query }) {
    checkAll({ all, ...query });
    const client = await context.client();
    const page = await client.joinKey.list({ query }, { signal: context.signal });
    await showPage(context, joinKeyColumns(context.now()), page, 'join keys');
  },
});

const { nodeId: _, ...fields } = joinKeyShape.shape;
const createFlags = z.strictObject({
  ...fields,
  node: z.optional(field.requiredText()),
  output: z.optional(z.string()),
});

const NO_LINE = [
  'There is no line for the host yet: the gateway does not know by which name or address other machines reach it.',
  'Enter that in the console under Settings, start the gateway again, and make another key.',
];

export const create = command({
  description:
    'Make a key by which hosts join, and print its code, this once: alone on a line, so that it can be kept in a file. The line that a host runs is said on standard error; it holds no secret.',
  flags: createFlags,
  words: ['name'],
  get help() {
    return contractHelp(
      createFlags,
      joinKey,
      {
        name: { text: 'the name of the key', value: 'name' },
        node: { text: 'the node that a host becomes with it; a new one when left out', value: 'name|id' },
        namePattern: { text: 'what the names of new nodes must be like, as in "web-*"', value: 'pattern' },
        expireAt: { text: 'when it ends, ISO 8601; a day from now when left out', value: 'time' },
        output: { text: 'write the code to this file, with mode 0600, instead of standard output', value: 'file' },
      },
      joinKeyDefaults,
    );
  },
  examples: [
    'sallyport join-key create "the new web server"',
    'sallyport join-key create racks --reusable --name-pattern "web-*" --expire-at 2027-01-31 --output code',
  ],
  async run(context, { node, output, ...body }) {
    const { io, globals, signal } = context;
    const nodeId = node === undefined ? null : (await findNode(context, node)).id;
    const client = await context.client();
    const { code, ...made } = await client.joinKey.create({ body: { ...body, nodeId } }, { signal });
    if (made.command === null) io.say(...NO_LINE);
    else io.say('Run this on the host (as root without sudo, end it with `| sh`):', `  ${made.command}`);
    if (output !== undefined) {
      saveSecret(output, `${code}\n`);
      io.say(`Wrote the code, which it asks for, to ${output}.`);
      return io.answer({ data: made });
    }
    io.say('It asks for this code, which is not shown again:');
    if (globals.json) await io.answer({ data: { ...made, code } });
    else await io.print(`${printable(code)}\n`);
  },
});

export const remove = command({
  description: 'Delete a key; no host can join with its code any more. Hosts that joined with it stay.',
  flags: z.strictObject({ ...whichJoinKey.flags, ...yesFlag.flags }),
  words: ['joinKey'],
  help: { ...whichJoinKey.help, ...yesFlag.help },
  examples: ['sallyport join-key delete racks --yes'],
  async run(context, { yes, joinKey: which }) {
    const { id, name, version } = await findJoinKey(context, which);
    await confirm(context, yes, `delete join key "${name}"`);
    const client = await context.client();
    await client.joinKey.remove({ params: { id } }, { signal: context.signal, ifMatch: version });
    context.io.say(`Deleted join key "${name}".`);
    await context.io.answer({ deleted: { id, name } });
  },
});
