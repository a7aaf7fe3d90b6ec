import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readConfig } from './config.ts';
import { startGateway } from './startGateway.ts';
import { DatabaseError } from './store/open.ts';
import { StartError } from './system/startError.ts';

const CONSOLE_DIRECTORY = fileURLToPath(new URL('../../web/dist', import.meta.url));

try {
  const running = await startGateway({
    config: readConfig(process.env),
    consoleDirectory: existsSync(CONSOLE_DIRECTORY) ? CONSOLE_DIRECTORY : null,
    terminal: process.stdout,
  });
  let stopping = false;
  const stop = async (everything: boolean): Promise<void> => {
    // Somebody who asks twice does not want to wait.
    if (stopping) process.exit(1);
    stopping = true;
    await running.stop({ everything });
    process.exit(0);
  };
  process.on('SIGINT', () => void stop(true));
  // Services go on being served: a restart or an update of the gateway is not noticed by visitors.
  process.on('SIGTERM', () => void stop(false));
  process.on('SIGHUP', () => void stop(false));
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof DatabaseError;
  const text = isExpected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
