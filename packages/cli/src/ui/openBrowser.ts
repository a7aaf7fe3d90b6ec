import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Context } from '../context.ts';

/** Hands the address to the desktop, if there is one; the address has been printed in any case. */
export function openBrowser({ env, io }: Context, url: string): void {
  const opener = openerOf(env);
  if (opener === null) return;
  const browser = spawn(opener, [url], { stdio: 'ignore', detached: true });
  browser.once('error', () => io.say('No browser could be started.'));
  browser.unref();
}

/** The program that opens an address where this terminal is: not over SSH, and not without a screen. */
function openerOf(env: Context['env']): string | null {
  const hasScreen = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  const names = hasScreen ? ['xdg-open'] : env['SSH_CONNECTION'] ? [] : ['open'];
  for (const name of names) {
    for (const folder of (env['PATH'] ?? '').split(delimiter).filter(Boolean)) {
      const path = join(folder, name);
      // `open` of a Linux console is another program.
      if (name === 'open' && path !== '/usr/bin/open') continue;
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // The next one.
      }
    }
  }
  return null;
}
