import { isApiError } from '@sallyport/sdk';
import type * as z from 'zod/mini';
import { type AnyCommand, type Command, command } from '../context.ts';
import { Failure } from '../failure.ts';

export const TOKEN_REFUSED = 'The gateway refused the token of this host.';
/** What to do then. */
export const JOIN_AGAIN =
  'Join again by the line of the console, or with `sudo sallyport join --url URL`; or give a new token to `sudo sallyport config`.';

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
function asHostFailure(error: unknown): unknown {
  if (isApiError(error, 'unauthorized')) {
    return new Failure('signedOut', TOKEN_REFUSED, JOIN_AGAIN, { cause: error });
  }
  if (isApiError(error, 'missing')) {
    return new Failure('missing', error.message, 'List what this host has with `sallyport status`.', { cause: error });
  }
  return error;
}
