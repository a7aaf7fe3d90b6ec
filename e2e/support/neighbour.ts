import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type LaunchOptions } from '@playwright/test';
import type { TunnelScene } from './tunnelScene.ts';

/** A browser on the gateway's own machine: it sees the network interfaces that the gateway makes. */
export async function openNeighbour(
  { home }: Pick<TunnelScene, 'home'>,
  launchOptions: LaunchOptions,
): Promise<{ browser: Browser; close(): Promise<void> }> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sallyport-neighbour-'));
  const file = path.join(directory, 'chromium');
  await writeFile(file, `#!/bin/sh\nexec ip netns exec ${home.name} /usr/bin/chromium "$@"\n`);
  await chmod(file, 0o755);
  const browser = await chromium.launch({ ...launchOptions, executablePath: file });
  return {
    browser,
    async close() {
      await browser.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
