import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { finishRestore } from '../admin/finishRestore.ts';
import { givenSettings, readConfig } from '../config.ts';
import { StartError } from '../machine/startError.ts';
import { askOnTerminal } from './chooseAddress.ts';
import { gatewayOfSudoer } from './gatewayOfSudoer.ts';
import { startGateway } from './startGateway.ts';

/** A directory next to this package. Its source and the built program are not equally deep. */
const besides = (path: string): string =>
  fileURLToPath(new URL(`${import.meta.url.endsWith('.ts') ? '../../..' : '../..'}/${path}`, import.meta.url));
const CONSOLE_DIRECTORY = besides('web/dist');
const PACKAGE_DIRECTORY = besides('cli/packages');
/** An ordinary end takes less. */
const HURRY_AFTER_MS = 5000;
const TOGETHER_MS = 20;

/**
 * Runs the gateway until a signal ends it.
 * @param hurry ends the process at once, for anyone who asks a second time
 * @throws {StartError} or {DatabaseError} when it cannot start
 */
export async function serve(hurry: () => void): Promise<void> {
  // Before anything starts: a signal in the middle of it must not leave half of it behind.
  const asked = Promise.withResolvers<{ everything: boolean }>();
  const asking = new AbortController();
  let askedAt: number | null = null;
  let everything = false;
  const ask = (all: boolean): void => {
    everything ||= all;
    asking.abort();
    if (askedAt === null) {
      askedAt = performance.now();
      // Of signals that are sent together, any may come first.
      setTimeout(() => asked.resolve({ everything }), TOGETHER_MS);
    } else if (performance.now() - askedAt > HURRY_AFTER_MS) {
      // One Ctrl+C may arrive twice, and to end at once leaves nginx behind; so only who asks again later is in a hurry.
      hurry();
    }
  };
  process.on('SIGINT', () => ask(true));
  // Services go on being served: a restart or an update of the gateway is not noticed by visitors.
  process.on('SIGTERM', () => ask(false));
  // A terminal that is closed ends nothing but its question.
  process.on('SIGHUP', () => asking.abort());

  const config = readConfig(process.env);
  finishRestore(config.dataDirectory);
  const other = gatewayOfSudoer(process.env);
  if (other !== null && other.fix !== null) {
    throw new StartError(`${other.reason} ${other.fix.todo}: ${other.fix.command}`);
  }
  if (other !== null) process.stderr.write(`${other.reason}\n`);
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const running = await startGateway({
    config,
    given: givenSettings(process.env),
    consoleDirectory: existsSync(CONSOLE_DIRECTORY) ? CONSOLE_DIRECTORY : null,
    packageDirectory: PACKAGE_DIRECTORY,
    terminal: process.stdout,
    askAddress: isTerminal ? askOnTerminal({ input: process.stdin, output: process.stdout }, asking.signal) : null,
  });
  await running.stop(await asked.promise);
}
