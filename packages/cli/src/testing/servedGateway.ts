import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestGateway } from '@sallyport/gateway/testing';
import { startPiped } from './process.ts';
import { serve } from './serve.ts';
import { ADMIN_ENV } from './shell.ts';

/** A gateway with the things of its `seed` behind a real port, for commands that are processes. */
export async function servedGateway(tls?: (folder: string) => { key: string; cert: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  // Real time: the sessions that it gives are measured by the clock of the command's process.
  const gateway = await createTestGateway({ now: new Date() });
  const ids = await gateway.seed();
  const requests: string[] = [];
  const server = await serve((request) => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`);
    return gateway.fetch(request);
  }, tls?.(folder));
  return {
    gateway,
    ids,
    folder,
    url: server.url,
    /** What it was asked for, `METHOD path`. */
    requests,
    newFolder: () => mkdtempSync(join(folder, 'directory-')),
    /** The environment of an operator who is signed in. */
    async signIn(...flags: string[]): Promise<Record<string, string>> {
      const env = { SALLYPORT_CONFIG_DIR: mkdtempSync(join(folder, 'operator-')), SALLYPORT_URL: server.url };
      const { code, err } = await startPiped(['login', '--operator', ...flags], { ...env, ...ADMIN_ENV }).ended;
      if (code !== 0) throw new Error(`No one is signed in: ${err}`);
      return env;
    },
    async close() {
      await server.close();
      await gateway.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
