import { isApiError } from '@sallyport/sdk';
import { codesOf } from '../errorCodes.ts';
import { Failure } from '../failure.ts';

/** The gateway was never asked: nobody was there, or somebody who is not trusted. */
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
