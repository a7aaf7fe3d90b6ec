import { field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';

/** Behind failures the pauses grow to five minutes; more than a minute before them would leave little to grow. */
const MAX_SECONDS = 60;

/** The flag that says how often anyone who keeps a host connected asks the gateway, in seconds. */
export const askEvery = {
  flag: z.optional(field.integer(1, MAX_SECONDS)),
  help: { text: 'ask the gateway every so many seconds; 10 unless given', value: 'seconds' },
};
