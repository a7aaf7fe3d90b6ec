/** `npm start`, after the boot: gets what the gateway works with, builds what has changed, becomes the gateway. */
import { join } from 'node:path';
import { isBuilt, keepStamp, stampOf } from './buildStamp.mjs';
import { quietly } from './quietly.mjs';
import { Halt, runMain, say } from './say.mjs';
import { ensureSystemPackages } from './systemPackages.mjs';

await runMain(async () => {
  const root = join(import.meta.dirname, '..');
  // Without nginx the gateway runs all the same and says what is off.
  await ensureSystemPackages('start');
  if (!isBuilt(root)) await build(root);
  const gateway = join(root, 'packages', 'gateway', 'dist', 'main.js');
  process.execve(process.execPath, [process.execPath, gateway, ...process.argv.slice(2)], process.env);
});

async function build(root) {
  say('building the packages ...');
  const stamp = stampOf(root);
  const { code, tail } = await quietly('pnpm', ['run', 'build'], { cwd: root });
  if (code !== 0) throw new Halt(`the build failed:\n${tail}`);
  keepStamp(root, stamp);
}
