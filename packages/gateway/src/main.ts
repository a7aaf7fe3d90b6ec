import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readConfig } from './config.ts';
import { startGateway } from './start/startGateway.ts';
import { DatabaseError } from './store/open.ts';
import { StartError } from './machine/startError.ts';

const CONSOLE_DIRECTORY = fileURLToPath(new URL('../../web/dist', import.meta.url));
/** An ordinary end takes less. */
const HURRY_AFTER_MS = 5000;
const TOGETHER_MS = 20;

const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  // Anyone who asks for help or a version does not want a gateway on this machine.
  process.stderr.write(
    `The gateway takes no arguments, and was given ${JSON.stringify(argument)}. Its settings are environment variables: see docs/operating.md.\n`,
  );
  process.exit(2);
}

// Before anything starts: a signal in the middle of it must not leave half of it behind.
const asked = Promise.withResolvers<{ everything: boolean }>();
let askedAt: number | null = null;
let everything = false;
const ask = (all: boolean): void => {
  everything ||= all;
  if (askedAt === null) {
    askedAt = performance.now();
    // Of signals that are sent together, any may come first.
    setTimeout(() => asked.resolve({ everything }), TOGETHER_MS);
  } else if (performance.now() - askedAt > HURRY_AFTER_MS) {
    // One Ctrl+C may arrive twice, and to end at once leaves nginx behind; so only who asks again later is in a hurry.
    process.exit(1);
  }
};
process.on('SIGINT', () => ask(true));
// Services go on being served: a restart or an update of the gateway is not noticed by visitors.
process.on('SIGTERM', () => ask(false));
process.on('SIGHUP', () => ask(false));

// Anyone who read what the gateway says may be gone; that is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  const running = await startGateway({
    config: readConfig(process.env),
    consoleDirectory: existsSync(CONSOLE_DIRECTORY) ? CONSOLE_DIRECTORY : null,
    terminal: process.stdout,
  });
  await running.stop(await asked.promise);
  process.exit(0);
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof DatabaseError;
  const text = isExpected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
