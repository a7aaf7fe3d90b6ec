/** `npm start`, after the boot: gets what the gateway works with, builds what has changed, becomes the gateway. */
import { join } from 'node:path';
import { ensureBuilt } from './buildStamp.mjs';
import { gatewayCommand } from './gatewayCommand.mjs';
import { runMain } from './say.mjs';
import { ensureSystemPackages } from './systemPackages.mjs';

await runMain(async () => {
  const root = join(import.meta.dirname, '..');
  // What could not be installed was named; whether it can do without, the gateway knows.
  await ensureSystemPackages('start');
  await ensureBuilt(root);
  process.execve?.(process.execPath, [...gatewayCommand, ...process.argv.slice(2)], process.env);
});
