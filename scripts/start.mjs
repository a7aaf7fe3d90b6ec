/** `npm start`, after the boot: gets what the gateway works with, builds what has changed, becomes the gateway. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './buildStamp.mjs';
import { gatewayCommand } from './gatewayCommand.mjs';
import { runMain, say } from './say.mjs';
import { ensureSystemPackages } from './systemPackages.mjs';

const root = join(import.meta.dirname, '..');

await runMain(async () => {
  // What could not be installed was named; whether it can do without, the gateway knows.
  await ensureSystemPackages('start');
  await ensureBuilt(root);
  ensureCommandPackage();
  process.execve?.(process.execPath, [...gatewayCommand, ...process.argv.slice(2)], process.env);
});

/** Makes the package of the command that hosts are given when they join, unless what was built is older. */
function ensureCommandPackage() {
  const out = join(root, 'packages/cli/packages');
  const built = statSync(join(root, 'packages/cli/dist/main.js')).mtimeMs;
  try {
    if (readdirSync(out).some((name) => name.endsWith('.deb') && statSync(join(out, name)).mtimeMs > built)) return;
  } catch {
    // There is none yet.
  }
  try {
    const words = [join(root, 'scripts/package.mjs'), '--only', 'command', '--quick', '--native', '--out', out];
    execFileSync(process.execPath, words, { stdio: ['ignore', 'ignore', 'ignore'] });
  } catch {
    say('No package was made of the command: hosts that join by a line need it, and dpkg-deb makes it.');
  }
}
