import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { Client } from '@sallyport/sdk';
import { signIn, test } from '../support/console.ts';
import { signedIn } from '../support/gateway.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

// What a hostile server can do that is exposed on the very host name of the console: its page runs on another port, and
// cookies and "same site" do not know ports.
const attack = (consoleUrl: string) => `<!doctype html><title>hostile</title><pre id="loot">waiting</pre><script>
const consoleUrl = ${JSON.stringify(consoleUrl)};
const attempt = async (work) => { try { return await work(); } catch (error) { return 'blocked: ' + error.name; } };
const text = async (path, init) => { const reply = await fetch(consoleUrl + path, init); return reply.status + ' ' + await reply.text(); };
(async () => {
  const loot = {
    cookie: document.cookie,
    storage: JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }),
    databases: JSON.stringify(await indexedDB.databases()),
    resume: await attempt(() => text('/api/auth/session', { method: 'POST', credentials: 'include' })),
    me: await attempt(() => text('/api/auth/me', { credentials: 'include' })),
    nodes: await attempt(() => text('/api/nodes?limit=10', { credentials: 'include' })),
    opaqueNodes: await attempt(async () => (await fetch(consoleUrl + '/api/nodes?limit=10', { mode: 'no-cors', credentials: 'include' })).type),
    create: await attempt(() => text('/api/nodes', { method: 'POST', credentials: 'include', headers: { 'content-type': 'text/plain' }, body: JSON.stringify({ name: 'made-by-attack' }) })),
    ownApi: await attempt(async () => (await fetch('/api/nodes?limit=10', { credentials: 'include' })).status + ' ' + await (await fetch('/api/headers', { credentials: 'include' })).text()),
    frame: await attempt(() => new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.onload = () => { try { resolve('framed: ' + frame.contentWindow.document.title); } catch (error) { resolve('blocked: ' + error.name); } };
      frame.src = consoleUrl + '/';
      document.body.append(frame);
    })),
  };
  document.querySelector('#loot').textContent = JSON.stringify(loot);
})();
</script>`;

let hostile: WebServer;
/** Speaks TLS itself behind a plain TCP service, and tosses a cookie of its own at the console. */
let tcp: WebServer;
/** A client of the API that has given no key. */
let client: Client;

test.beforeAll(async ({ gateway }) => {
  hostile = await startWebServer((request, response) => {
    if (request.url?.startsWith('/api/headers')) response.end(JSON.stringify(request.headers));
    else if (request.url?.startsWith('/api/')) response.writeHead(200).end('answered by the hostile server');
    else response.setHeader('content-type', 'text/html').end(attack(gateway.consoleUrl));
  });
  tcp = await startWebServer((_request, response) => {
    response.setHeader('set-cookie', 'sallyport_session=tossed; Path=/api; Secure');
    response.setHeader('content-type', 'text/html').end(attack(gateway.consoleUrl));
  }, selfSigned());
  ({ client } = await signedIn(gateway));
});

test.afterAll(async () => {
  await hostile?.close();
  await tcp?.close();
});

function selfSigned(): { key: string; cert: string } {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-hostile-'));
  try {
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '1'];
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** What the hostile page of a tab has found. */
async function lootOf(tab: Page, url: string): Promise<Record<string, string>> {
  await tab.goto(url);
  const loot = tab.locator('#loot');
  await expect(loot).toHaveText(/^\{/, { timeout: 30_000 });
  return JSON.parse((await loot.textContent()) ?? '{}') as Record<string, string>;
}

/** Calls the API with what a server has received, in every way that there is; the statuses. */
async function tryAll(apiUrl: string, values: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  const attempt = async (path: string, init: RequestInit) => {
    const headers = { ...(init.headers as Record<string, string>), origin: apiUrl, 'sec-fetch-site': 'same-origin' };
    statuses.push((await fetch(apiUrl + path, { ...init, headers })).status);
  };
  for (const value of values) {
    const cookie = `sallyport_session=${value}`;
    await attempt('/api/auth/session', { method: 'POST', headers: { cookie } });
    await attempt('/api/auth/me', { headers: { cookie } });
    await attempt('/api/auth/me', { headers: { authorization: `Bearer ${value}`, cookie } });
    await attempt(`/api/nodes/stream?token=${value}`, { headers: { cookie } });
  }
  return statuses;
}

test('a hostile page on the console’s host name gets neither the token nor the API', async ({ page, gateway }) => {
  const token = await signIn(page, gateway);
  expect(token).toMatch(/^sps_/);
  const cookies = await page.context().cookies(`${gateway.consoleUrl}/api/`);
  const kind = { name: 'sallyport_session', path: '/api', httpOnly: true, secure: true, sameSite: 'Strict' };
  expect(cookies).toEqual([expect.objectContaining(kind)]);
  expect(JSON.stringify(cookies)).not.toContain(token);
  const backend = { name: 'hostile', backendHost: '127.0.0.1', backendPort: hostile.port };
  await client.httpService.create({ params: { nodeId: 1 }, body: { ...backend, pathLocation: '/' } });

  const tab = await page.context().newPage();
  const found = await lootOf(tab, `https://localhost:${gateway.ports.https}/`);
  expect(JSON.stringify(found)).not.toContain(token);
  expect(found['databases']).toBe('[]');
  for (const call of ['resume', 'me', 'nodes', 'create']) expect(found[call]).toBe('blocked: TypeError');
  expect(found['frame']).toBe('blocked: SecurityError');
  // A request without CORS goes out, but its answer stays shut, and it carries no token that would count.
  expect(found['opaqueNodes']).toBe('opaque');
  // Its own /api is its own: no way to the gateway's, and no cookie of the console.
  expect(found['ownApi']).toMatch(/^200 \{/);
  expect(found['ownApi']).not.toContain('sallyport_session');
  // The browser sends the console's cookie to every port of the host; nginx takes it away before a service sees it.
  expect(hostile.requests.length).toBeGreaterThan(0);
  for (const request of hostile.requests) expect(JSON.stringify(request.headers)).not.toContain('sallyport_session');

  expect(JSON.stringify(await client.node.list({ query: { limit: 100 } }))).not.toContain('made-by-attack');
  // The administrator is still signed in.
  await page.reload();
  await expect(page).toHaveURL(`${gateway.consoleUrl}/`);
});

test('a TCP service on the console’s host name receives every cookie, and nothing of it signs in', async ({
  page,
  gateway,
}) => {
  const token = await signIn(page, gateway);
  const backend = { name: 'hostile', backendHost: '127.0.0.1', backendPort: tcp.port };
  const { port } = await client.tcpService.create({ params: { nodeId: 1 }, body: backend });
  const tab = await page.context().newPage();
  // A link that the administrator opens; its script asks for its own /api as well, where cookies go.
  const found = await lootOf(tab, `https://localhost:${port}/api/`);
  expect(JSON.stringify(found)).not.toContain(token);
  expect(found['databases']).toBe('[]');
  const received = tcp.requests.flatMap(({ headers }) => headers.cookie ?? []);
  const values = received.flatMap((cookie) => /sallyport_session=([^;]+)/.exec(cookie)?.[1] ?? []);
  // It does get the console's: that is what browsers do.
  expect(values.filter((value) => value !== 'tossed').length).toBeGreaterThan(0);
  expect(JSON.stringify(tcp.requests.map(({ headers }) => headers))).not.toContain(token);
  for (const status of await tryAll(gateway.apiUrl, [...new Set(values)])) expect([401, 404]).toContain(status);

  // The cookie that it tossed is in the place of the console's own, and changes nothing.
  const cookies = await page.context().cookies(`${gateway.consoleUrl}/api/`);
  expect(cookies.map(({ value }) => value)).toContain('tossed');
  await page.goto(`${gateway.consoleUrl}/nodes`);
  await expect(page.getByRole('link', { name: 'Local' }).first()).toBeVisible();
  await page.context().clearCookies();
  await page.reload();
  await expect(page.getByRole('link', { name: 'Local' }).first()).toBeVisible();
});

test('a token of the console works with the key of its browser alone, streams and downloads included', async ({
  page,
  gateway,
}) => {
  const token = await signIn(page, gateway);
  const paths = ['/api/auth/me', '/api/nodes', '/api/nodes/stream', '/api/nodes/1/download'];
  const authorization = `Bearer ${token}`;
  for (const path of paths) {
    expect((await fetch(gateway.apiUrl + path, { headers: { authorization } })).status).toBe(401);
    expect((await fetch(`${gateway.apiUrl}${path}?token=${token}`)).status).toBe(401);
  }
  // A proof that was seen on its way is of no use a second time.
  const seen = page.waitForRequest((request) => request.url().includes('/api/nodes?'));
  await page.goto(`${gateway.consoleUrl}/nodes`);
  await expect(page.getByRole('link', { name: 'Local' }).first()).toBeVisible();
  const request = await seen;
  const { dpop = '' } = await request.allHeaders();
  expect(dpop).toMatch(/^ey/);
  const replayed = await page.request.get(request.url(), { headers: { authorization, dpop } });
  expect(replayed.status()).toBe(401);

  await client.node.create({ body: { name: 'edge' } });
  // There is no tunnel here; the console is made to think that there is one, and ask.
  await page.route('**/api/config', async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ response: reply, json: { ...((await reply.json()) as object), unavailable: [] } });
  });
  const stream = page.waitForResponse((response) => response.url().includes('/api/nodes/stream'));
  await page.reload();
  expect((await stream).status()).toBe(200);
  await page.getByRole('button', { name: 'Actions of edge' }).click();
  const download = page.waitForResponse((response) => response.url().includes('/download'));
  await page.getByRole('menuitem', { name: 'Download Config' }).click();
  // There is nothing to download; but the browser may.
  expect((await download).status()).not.toBe(401);
});

test('all tabs are signed in, and signed out together, also when the gateway cannot be told', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway);
  const tab = await page.context().newPage();
  await tab.goto(`${gateway.consoleUrl}/nodes`);
  await expect(tab.getByRole('link', { name: 'Local' }).first()).toBeVisible();
  await page.reload();
  await expect(page).toHaveURL(`${gateway.consoleUrl}/`);
  await page.route('**/api/auth/logout', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByText(/^Signed out\. The gateway could not be told/)).toBeVisible();
  await expect(tab.getByText('You signed out in another tab.')).toBeVisible();
  for (const each of [page, tab]) {
    await each.goto(`${gateway.consoleUrl}/nodes`);
    await expect(each).toHaveURL(/\/login/);
  }
});
