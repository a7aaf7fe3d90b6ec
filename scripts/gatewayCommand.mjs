import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '..', 'packages', 'gateway', 'dist', 'main.js');

/**
 * V8 keeps three spaces of 16 MB for what lives shortly, and never gives them back. A gateway that lists a thousand
 * objects needs a tenth of that, and is idle most of the time. `gc` is for `machine/releaseMemory.ts`.
 */
export const NODE_FLAGS = ['--max-semi-space-size=4', '--expose-gc'];

/** The program and the arguments with which the built gateway is started. */
export const gatewayCommand = [process.execPath, ...NODE_FLAGS, MAIN];
