import { isApiError } from '@sallyport/sdk';
import type * as z from 'zod/mini';
import { type AnyCommand, type Command, command } from '../context.ts';
import { Failure, codesOf } from '../failure.ts';

/** Declares a command that acts with this host's own token: what the gateway refuses is said in words that fit. */
export const hostCommand = <S extends z.ZodMiniObject>(definition: Command<S>): AnyCommand =>
  command({
    ...definition,
    run: async (context, flags) => {
      await definition.run(context, flags).catch((error: unknown) => {
        throw asHostFailure(error);
      });
    },
  });

/** A refusal of the gateway as this host has to understand it; everything else as it is. */
export function asHostFailure(error: unknown): unknown {
  if (isApiError(error, 'unauthorized')) {
    return new Failure(
      'signedOut',
      'The gateway refused the token of this host.',
      'Join again with `sallyport login`, or give a new token to `sallyport config`.',
      { cause: error },
    );
  }
  if (isApiError(error, 'missing')) {
    return new Failure('missing', error.message, 'List what this host has with `sallyport status`.', { cause: error });
  }
  return error;
}

/** The gateway was never asked: nothing answered, or something that is not trusted. */
const NEVER_ASKED = /CERT|PIN_MISMATCH|UNABLE_TO|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/;

/** What to say when the gateway did not answer whether it has renewed a token: one that was asked and then fell silent may have. */
export function maybeRenewed(error: unknown): unknown {
  if (!isApiError(error, 'unreachable') || codesOf(error).some((code) => NEVER_ASKED.test(code))) return error;
  return new Failure(
    'unreachable',
    `${error.message}; nothing was changed on this host.`,
    'Run the command again when it can be reached. If it refuses the token then, it had renewed it: give a new one from the console to `sallyport config`.',
    { cause: error },
  );
}
