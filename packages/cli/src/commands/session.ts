import { field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { type Context, command } from '../context.ts';
import { Failure } from '../failure.ts';
import { sessionColumns } from '../ui/columns.ts';
import { showPage } from '../ui/show.ts';
import { confirm, yesFlag } from '../ui/write.ts';

export const list = command({
  description:
    'List the sessions of the administrator that last, the newest first. Piped it is one line a session, with tabs between: id, "own" or nothing, signed in (ISO 8601), last used (ISO 8601), from which address, end (ISO 8601).',
  flags: z.strictObject({}),
  help: {},
  examples: ['sallyport session list'],
  async run(context) {
    const client = await context.client();
    const data = await client.session.list({}, { signal: context.signal });
    const page = { data, page: 1, limit: data.length, total: data.length };
    await showPage(context, sessionColumns(context.now()), page, 'sessions');
  },
});

export const end = command({
  description: 'End a session by its id, or all but the own one with --others.',
  flags: z.strictObject({
    session: z.optional(field.id),
    others: z.optional(z.boolean()),
    ...yesFlag.flags,
  }),
  words: ['session'],
  help: {
    session: { text: 'its id', value: 'id' },
    others: { text: 'all sessions but the one of this command' },
    ...yesFlag.help,
  },
  examples: ['sallyport session end 12 --yes', 'sallyport session end --others --yes'],
  async run(context, { session: id, others, yes }) {
    const { io, signal } = context;
    if ((id === undefined) === (others !== true)) {
      throw new Failure(
        'usage',
        'Say which session by its id, or --others.',
        'List them with `sallyport session list`.',
      );
    }
    await confirm(context, yes, id === undefined ? 'end all other sessions' : `end session ${id}`);
    const client = await context.client();
    if (id === undefined) await client.session.endOthers({}, { signal });
    else await client.session.end({ params: { id } }, { signal });
    io.say(id === undefined ? 'Ended all other sessions.' : `Ended session ${id}.`);
    await io.answer({ ended: id ?? 'others' });
  },
});

export const password = command({
  description:
    "Change the administrator's password, which ends all other sessions. Both passwords are asked for; without a terminal, SALLYPORT_PASSWORD is the current one and --new-password-stdin reads the new one.",
  flags: z.strictObject({ newPasswordStdin: z.optional(z.boolean()) }),
  help: { newPasswordStdin: { text: 'read the new password from standard input' } },
  examples: ['sallyport password', 'sallyport password --new-password-stdin < new-password-file'],
  async run(context, { newPasswordStdin }) {
    const { io, env, signal } = context;
    const client = await context.client();
    // Before any question, so that no answer is given in vain.
    const { problem } = await client.session.password({}, { signal });
    if (problem !== null) throw new Failure('failed', problem, null);
    const currentPassword = env['SALLYPORT_PASSWORD'] || (await io.askSecret('current password')).reveal();
    const newPassword = newPasswordStdin ? (await io.readSecret()).reveal() : await askNew(context);
    await client.session.changePassword({ body: { currentPassword, newPassword } }, { signal });
    io.say('Changed the password. All other sessions have ended; API tokens stay.');
    await io.answer({ changed: true });
  },
});

/** What cannot be seen is typed twice. */
async function askNew({ io }: Context): Promise<string> {
  const first = (await io.askSecret('new password')).reveal();
  const second = (await io.askSecret('new password again')).reveal();
  if (first === second) return first;
  throw new Failure('usage', 'The two new passwords differ.', 'Run the command again.');
}
