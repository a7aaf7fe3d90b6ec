import { type ClientOptions, clientOf } from '@sallyport/sdk';
import { seldomContract } from '@sallyport/sdk/contract';

/** Makes the calls of screens that are opened seldom. */
export const createSeldomClient = (options: ClientOptions) => clientOf(seldomContract, options);

export type SeldomClient = ReturnType<typeof createSeldomClient>;
