/** The contract with its checks, as a part of the console that runs before the rest of it is here. */
export { adminContract } from '@sallyport/sdk/contract';
