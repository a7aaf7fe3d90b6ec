import { isBuilt, keepStamp, stampOf } from './buildStamp.mjs';
import { quietly } from './quietly.mjs';
import { Halt, say } from './say.mjs';

/** Builds the packages unless their last build was of the sources that are there now. */
export async function ensureBuilt(root) {
  if (isBuilt(root)) return;
  say('building the packages ...');
  const stamp = stampOf(root);
  const { code, tail } = await quietly('pnpm', ['run', 'build'], { cwd: root });
  if (code !== 0) throw new Halt(`the build failed:\n${tail}`);
  keepStamp(root, stamp);
}
