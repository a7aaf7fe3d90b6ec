/** `npm run dev`, after the boot: runs gateway and console from their sources; what is saved is there at once. */
import { join } from 'node:path';
import { handOver } from './boot/handOver.mjs';
import { runMain, say } from './say.mjs';
import { ensureSystemPackages } from './systemPackages.mjs';

await runMain(async () => {
  await ensureSystemPackages('start');
  say(
    'the console is at http://127.0.0.1:5173 and reloads by itself; the gateway starts again when a file of it is saved',
  );
  process.exitCode = await handOver('pnpm', ['run', '/^dev:/'], { cwd: join(import.meta.dirname, '..'), group: true });
});
