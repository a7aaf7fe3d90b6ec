import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, expect, test } from '@playwright/test';
import { namespacesProblem } from '../support/namespaces.ts';
import { signIn } from '../support/console.ts';
import { openTunnelScene, type TunnelScene } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
let scene: TunnelScene;
let directory: string;

test.skip(problem !== null, `The first node is not created next to its gateway: ${problem}.`);

test.beforeAll(async () => {
  scene = await openTunnelScene();
  directory = await mkdtemp(path.join(tmpdir(), 'sallyport-first-node-'));
});
test.afterAll(async () => {
  await scene?.close();
  await rm(directory, { recursive: true, force: true });
});

/** A browser on the gateway's own machine: it sees the network interfaces that the gateway makes. */
async function neighbour(): Promise<string> {
  const file = path.join(directory, 'chromium');
  await writeFile(file, `#!/bin/sh\nexec ip netns exec ${scene.home.name} /usr/bin/chromium "$@"\n`);
  await chmod(file, 0o755);
  return file;
}

test("the first Add Client succeeds in a browser on the gateway's own machine", async ({ launchOptions }) => {
  const browser = await chromium.launch({ ...launchOptions, executablePath: await neighbour() });
  try {
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    const failures: string[] = [];
    page.on('requestfailed', (request) => failures.push(`${request.method()} ${request.failure()?.errorText}`));
    await signIn(page, scene.gateway);
    failures.length = 0;
    await page.getByRole('button', { name: 'Create Node' }).click();
    const form = page.getByRole('dialog', { name: 'Client / Node Configuration' });
    await form.getByLabel('Name').fill('printer');
    await form.getByRole('button', { name: 'Save' }).click();
    const ready = page.getByRole('dialog', { name: 'Your Node is Ready' });
    await expect(ready.getByLabel('Token', { exact: true })).toHaveValue(/^spn_/);
    expect(failures).toEqual([]);
    const { body } = await scene.api('GET /api/nodes?limit=10');
    expect((body['data'] as { name: string }[]).map(({ name }) => name)).toEqual(['Local', 'printer']);
  } finally {
    await browser.close();
  }
});
