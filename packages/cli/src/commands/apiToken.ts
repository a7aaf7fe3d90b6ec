import { printable } from '@sallyport/sdk';
import { apiToken, apiTokenInput, contract, field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../context.ts';
import { findApiToken, findNode, whichApiToken } from '../find.ts';
import { saveSecret } from '../storedFile.ts';
import { apiTokenColumns } from '../ui/columns.ts';
import { allFlag, checkAll, pageHelp, showPage } from '../ui/show.ts';
import { confirm, contractHelp, yesFlag } from '../ui/write.ts';

export const list = command({
  description:
    'List the API tokens; their secrets are never shown. Piped it is one line a token, with tabs between: id, name, beginning of the secret, scope, ids of its nodes, end (ISO 8601), last used (ISO 8601).',
  flags: z.strictObject({ ...contract.apiToken.list.query.shape, ...allFlag }),
  help: { ...pageHelp, search: { text: 'only tokens whose name or beginning contains this' } },
  examples: ['sallyport api-token list'],
  async run(context, { all, ...query }) {
    checkAll({ all, ...query });
    const client = await context.client();
    const page = await client.apiToken.list({ query }, { signal: context.signal });
    await showPage(context, apiTokenColumns(context.now()), page, 'API tokens');
  },
});

const { nodes: _, ...input } = apiTokenInput.shape;
const createFlags = z.strictObject({
  ...input,
  node: z.optional(field.listOf(field.requiredText())),
  output: z.optional(z.string()),
});

export const create = command({
  description:
    'Make a token for a program and print its secret, this once: alone on a line, so that it can be kept in a file. --output writes that file with mode 0600. The program gives it as SALLYPORT_TOKEN, or signs in with `sallyport login --token-file`.',
  flags: createFlags,
  words: ['name'],
  get help() {
    return contractHelp(createFlags, apiToken, {
      name: { text: 'the name of the token', value: 'name' },
      scope: {
        text: 'what it may do, like nodes:read,services:write: nodes, domains, services, tokens (of nodes) or logs, each with read or write (which includes read); logs with read alone; needed',
        value: 'right,…',
      },
      node: { text: 'limit it to these nodes; it then has no rights for domains', value: 'name|id,…' },
      expireAt: { text: 'when it ends, ISO 8601; never when left out', value: 'time' },
      output: { text: 'write the secret to this file, with mode 0600, instead of standard output', value: 'file' },
    });
  },
  examples: [
    'sallyport api-token create ci --scope services:write --node edge --output token-file',
    'sallyport api-token create monitor --scope nodes:read,services:read --expire-at 2027-01-31',
  ],
  async run(context, { node, output, ...body }) {
    const { io, globals, signal } = context;
    const nodes: number[] | undefined = node && [];
    for (const name of node ?? []) nodes?.push((await findNode(context, name)).id);
    const client = await context.client();
    const { token: secret, ...created } = await client.apiToken.create({ body: { ...body, nodes } }, { signal });
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

export const remove = command({
  description: 'Delete an API token; it is refused from now on, and its streams end.',
  flags: z.strictObject({ ...whichApiToken.flags, ...yesFlag.flags }),
  words: ['token'],
  help: { ...whichApiToken.help, ...yesFlag.help },
  examples: ['sallyport api-token delete ci --yes'],
  async run(context, { yes, token }) {
    const { id, name, version } = await findApiToken(context, token);
    await confirm(context, yes, `delete API token "${name}"`);
    const client = await context.client();
    await client.apiToken.remove({ params: { id } }, { signal: context.signal, ifMatch: version });
    context.io.say(`Deleted API token "${name}".`);
    await context.io.answer({ deleted: { id, name } });
  },
});
