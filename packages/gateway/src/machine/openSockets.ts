import { runProgram } from './runProgram.ts';

/** An expression of this many terms is far below what the kernel takes at once. */
const TERMS_AT_ONCE = 200;
const LIMIT_MS = 5000;

/**
 * The connected TCP and UDP sockets of this machine that one of these expressions of `ss` names, a line each.
 * @throws {ProgramError}
 */
export async function listSockets(terms: readonly string[], binary = 'ss'): Promise<string[]> {
  return (await askEach(['-HtunOe'], terms, binary)).flatMap((output) => output.split('\n'));
}

/** All that are connected by UDP, a line each. @throws {ProgramError} */
export async function listUdpSockets(binary = 'ss'): Promise<string[]> {
  return (await askEach(['-HunOe'], ['sport ge :1'], binary)).flatMap((output) => output.split('\n'));
}

/**
 * Ends them. A kernel that cannot do it says nothing, so only another look tells.
 * @throws {ProgramError}
 */
export async function endSockets(terms: readonly string[], binary = 'ss'): Promise<void> {
  await askEach(['-HtunOK'], terms, binary);
}

async function askEach(options: readonly string[], terms: readonly string[], binary: string): Promise<string[]> {
  const outputs: string[] = [];
  for (let from = 0; from < terms.length; from += TERMS_AT_ONCE) {
    const expression = terms.slice(from, from + TERMS_AT_ONCE).join(' or ');
    outputs.push(await runProgram(binary, [...options, 'state', 'connected', expression], undefined, LIMIT_MS));
  }
  return outputs;
}
