import * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { Failure } from '../context.ts';

/** The flag of every command that destroys something. */
export const yesFlag = { yes: z.optional(z.boolean()) };

/** What it is for. */
export const yesHelp = { yes: { text: 'do not ask; needed without a terminal' } } as const;

/**
 * Has somebody say yes before `what` happens, a clause like `delete node "edge"`. Where nobody can be asked, `--yes` must have
 * said it.
 */
export async function confirm({ io }: Context, yes: boolean | undefined, what: string): Promise<void> {
  if (yes) return;
  if (!io.canAsk) {
    throw new Failure('usage', `There is no terminal to ask whether to ${what}.`, 'Say --yes if that is meant.');
  }
  if (await io.confirm(`${what[0]?.toUpperCase() ?? ''}${what.slice(1)}?`)) return;
  throw new Failure('failed', 'Nothing was changed.', null);
}
