import { printable } from '@sallyport/sdk';
import { contract, field, token, tokenInput } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../context.ts';
import { findNode, findToken, whichToken } from '../find.ts';
import { saveSecret } from '../storedFile.ts';
import { tokenColumns } from '../ui/columns.ts';
import { allFlag, checkAll, pageHelp, printThing, showPage } from '../ui/show.ts';
import { confirm, contractHelp, yesFlag } from '../ui/write.ts';

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
    const { id } = await findNode(context, node);
    const client = await context.client();
    const page = await client.token.list({ params: { id }, query }, { signal: context.signal });
    await showPage(context, tokenColumns(context.now()), page, 'access tokens');
  },
});

export const show = command({
  description: 'Show everything about an access token but its secret.',
  flags: z.strictObject(whichToken.flags),
  words: ['token'],
  help: whichToken.help,
  examples: ['sallyport token show ci --node edge'],
  async run(context, which) {
    await printThing(context, await findToken(context, which));
  },
});

const createFlags = z.extend(tokenInput, { node: field.requiredText(), output: z.optional(z.string()) });

export const create = command({
  description:
    'Make an access token for a node and print its secret, this once: alone on a line, so that it can be kept in a file. --output writes that file with mode 0600.',
  flags: createFlags,
  words: ['name'],
  get help() {
    return contractHelp(createFlags, token, {
      name: { text: 'the name of the token', value: 'name' },
      node: { text: 'the node that it is for', value: 'name|id' },
      expireAt: { text: 'when it ends, ISO 8601; never when left out', value: 'time' },
      output: { text: 'write the secret to this file, with mode 0600, instead of standard output', value: 'file' },
    });
  },
  examples: [
    'sallyport token create ci --node edge --output token-file',
    'sallyport token create ci --node edge --expire-at 2027-01-31',
  ],
  async run(context, { node, output, ...body }) {
    const { io, globals, signal } = context;
    const { id } = await findNode(context, node);
    const client = await context.client();
    const { token: secret, ...created } = await client.token.create({ params: { id }, body }, { signal });
    if (output !== undefined) {
      saveSecret(output, `${secret}\n`);
      io.say(`Wrote the token to ${output}.`);
      return io.answer({ data: created });
    }
    if (globals.json) await io.answer({ data: { ...created, token: secret } });
    else await io.print(`${printable(secret)}\n`);
    io.say('Keep the token now: it is not shown again.');
  },
});

export const revoke = command({
  description: 'Refuse an access token from now on. A tunnel that is up stays up.',
  flags: z.strictObject({ ...whichToken.flags, ...yesFlag.flags }),
  words: ['token'],
  help: { ...whichToken.help, ...yesFlag.help },
  examples: ['sallyport token revoke ci --node edge --yes'],
  async run(context, { yes, ...which }) {
    const { id, nodeId, name } = await findToken(context, which);
    await confirm(context, yes, `revoke access token "${name}"`);
    const client = await context.client();
    await client.token.revoke({ params: { id: nodeId, tokenId: id } }, { signal: context.signal });
    context.io.say(`Revoked access token "${name}".`);
    await context.io.answer({ revoked: { id, name } });
  },
});

export const remove = command({
  description: 'Delete an access token; it is refused from now on.',
  flags: z.strictObject({ ...whichToken.flags, ...yesFlag.flags }),
  words: ['token'],
  help: { ...whichToken.help, ...yesFlag.help },
  examples: ['sallyport token delete ci --node edge --yes'],
  async run(context, { yes, ...which }) {
    const { id, nodeId, name, version } = await findToken(context, which);
    await confirm(context, yes, `delete access token "${name}"`);
    const client = await context.client();
    await client.token.remove({ params: { id: nodeId, tokenId: id } }, { signal: context.signal, ifMatch: version });
    context.io.say(`Deleted access token "${name}".`);
    await context.io.answer({ deleted: { id, name } });
  },
});
