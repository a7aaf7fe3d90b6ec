import { expect, test } from '@playwright/test';
import { startGateway, type GatewayProcess } from './support/gatewayProcess.ts';
import { startWebServer, type WebServer } from './support/webServer.ts';

// What a hostile web server can do that is exposed on the very host name of the console: its page runs on another port,
// and cookies and "same site" do not know ports.
const attack = (consoleUrl: string) => `<!doctype html><title>hostile</title><pre id="loot">waiting</pre><script>
const consoleUrl = ${JSON.stringify(consoleUrl)};
const attempt = async (work) => { try { return await work(); } catch (error) { return 'blocked: ' + error.name; } };
const text = async (path, init) => { const reply = await fetch(consoleUrl + path, init); return reply.status + ' ' + await reply.text(); };
(async () => {
  const loot = {
    cookie: document.cookie,
    storage: JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }),
    resume: await attempt(() => text('/api/auth/session', { method: 'POST', credentials: 'include' })),
    simpleResume: await attempt(() => text('/api/auth/session', { method: 'POST', credentials: 'include', headers: { 'content-type': 'text/plain' }, body: '{}' })),
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

let gateway: GatewayProcess;
let hostile: WebServer;

test.beforeAll(async () => {
  gateway = await startGateway();
  hostile = await startWebServer((request, response) => {
    if (request.url?.startsWith('/api/headers')) response.end(JSON.stringify(request.headers));
    else if (request.url?.startsWith('/api/')) response.writeHead(200).end('answered by the hostile server');
    else response.setHeader('content-type', 'text/html').end(attack(gateway.consoleUrl));
  });
});

test.afterAll(async () => {
  await hostile?.close();
  await gateway?.close();
});

test('a hostile page on the console’s host name gets neither the token nor the API', async ({ page }) => {
  await page.goto(gateway.consoleUrl);
  await page.getByLabel(/^Username/).fill(gateway.username);
  await page.getByLabel(/^Password/).fill(gateway.password);
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/auth/login'));
  await page.getByRole('button', { name: /sign in/i }).click();
  const { token } = (await (await answered).json()) as { token: string };
  await expect(page).toHaveURL(`${gateway.consoleUrl}/`);
  expect(token).toMatch(/^sps_/);
  const authorization = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const cookie = (await page.context().cookies(`${gateway.consoleUrl}/api/`)).find(({ value }) =>
    value.includes(token),
  );
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/api' });

  const created = await fetch(`${gateway.apiUrl}/api/services/1/http`, {
    method: 'POST',
    headers: authorization,
    body: JSON.stringify({ name: 'hostile', pathLocation: '/', backendHost: '127.0.0.1', backendPort: hostile.port }),
  });
  expect(created.status).toBe(200);

  const tab = await page.context().newPage();
  await tab.goto(`https://localhost:${gateway.ports.https}/`);
  const loot = tab.locator('#loot');
  await expect(loot).toHaveText(/^\{/, { timeout: 30_000 });
  const found = JSON.parse((await loot.textContent()) ?? '{}') as Record<string, string>;

  expect(JSON.stringify(found)).not.toContain(token);
  expect(found['resume']).toBe('blocked: TypeError');
  expect(found['simpleResume']).toBe('blocked: TypeError');
  expect(found['nodes']).toBe('blocked: TypeError');
  expect(found['create']).toBe('blocked: TypeError');
  expect(found['frame']).toBe('blocked: SecurityError');
  // A request without CORS goes out, but its answer stays shut, and it carries no token that would count.
  expect(found['opaqueNodes']).toBe('opaque');
  // Its own /api is its own: no way to the gateway's, and no cookie of the console.
  expect(found['ownApi']).toMatch(/^200 \{/);
  expect(found['ownApi']).not.toContain('sallyport_session');
  // The browser sends the console's cookie to every port of the host; nginx takes it away before a service sees it.
  expect(hostile.requests.length).toBeGreaterThan(0);
  for (const request of hostile.requests) expect(JSON.stringify(request.headers)).not.toContain(token);

  const nodes = await fetch(`${gateway.apiUrl}/api/nodes?limit=100`, { headers: authorization });
  expect(JSON.stringify(await nodes.json())).not.toContain('made-by-attack');
  // The administrator is still signed in.
  await page.reload();
  await expect(page).toHaveURL(`${gateway.consoleUrl}/`);
});
