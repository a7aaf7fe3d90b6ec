import { expect, test, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { startGateway, type GatewayProcess } from './support/gatewayProcess.ts';

// On the narrowest screens nothing scrolls sideways and no dialog or menu leaves the window; and no screen asks anything
// of a third party.
const WIDTHS_PX = [390, 320];

type Scene = { at: string; open?: (page: Page) => Promise<void> };

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();
const choose = async (page: Page, row: string, action: string) => {
  await press(page, `Actions of ${row}`);
  await page.getByRole('menuitem', { name: action }).click();
};
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name }).waitFor();

const scenes: Record<string, Scene> = {
  home: { at: '/' },
  help: { at: '/', open: (page) => press(page, 'Need help?') },
  nodes: { at: '/nodes' },
  'nodes-filtered': { at: '/nodes?search=no such node' },
  'nodes-menu': { at: '/nodes', open: (page) => press(page, 'Actions of office') },
  'node-form': {
    at: '/nodes',
    async open(page) {
      await press(page, 'Add Client');
      await page.getByText('Act as a network gateway').click();
      await press(page, 'Advanced Form');
      await press(page, 'Save');
    },
  },
  'node-ready': {
    at: '/nodes',
    async open(page) {
      await press(page, 'Add Client');
      await page.getByLabel(/^Name/).fill('shown once');
      await press(page, 'Save');
      await dialog(page, 'Your Node is Ready');
    },
  },
  'node-deletion': { at: '/nodes', open: (page) => choose(page, 'office', 'Delete Node') },
  node: { at: '/nodes/2' },
  'node-local': { at: '/nodes/1' },
  'node-missing': { at: '/nodes/9999' },
  'token-form': {
    at: '/nodes/2',
    async open(page) {
      await press(page, 'Add Token');
      await page.getByRole('grid').waitFor();
    },
  },
  'token-result': {
    at: '/nodes/2',
    async open(page) {
      await press(page, 'Add Token');
      await page.getByLabel(/^Name/).fill('ci');
      await press(page, 'Save');
      await dialog(page, 'New Access Token Generated');
    },
  },
  'token-revocation': { at: '/nodes/2', open: (page) => choose(page, 'default', 'Revoke') },
  'http-form': { at: '/nodes', open: (page) => choose(page, 'Local', 'Expose HTTP') },
  'tcp-form': { at: '/nodes', open: (page) => choose(page, 'Local', 'Expose TCP') },
  'service-info': { at: '/nodes/1', open: (page) => choose(page, 'App', 'Info') },
  'service-logs': { at: '/nodes/1/http/2/logs' },
  domains: { at: '/domains?open=1' },
  'domain-form': {
    at: '/domains',
    async open(page) {
      await press(page, 'Add Domain');
      await page.getByText('Enable OAuth2 authentication').click();
      await page.getByLabel(/^Domain\*?$/).fill('no domain');
      await press(page, 'Save');
    },
  },
  'domain-deletion': { at: '/domains', open: (page) => choose(page, 'app.example.test', 'Delete Domain') },
  'domain-logs': { at: '/domains/app.example.test/logs' },
  'not-found': { at: '/what/ever' },
};

let gateway: GatewayProcess;

test.beforeAll(async () => {
  gateway = await startGateway();
  const api = async (call: string, body: object, token?: string) => {
    const reply = await fetch(`${gateway.apiUrl}/api/${call}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    expect(reply.ok, call).toBe(true);
    return (await reply.json()) as { token: string };
  };
  const { token } = await api('auth/login', { username: gateway.username, password: gateway.password });
  await api('nodes', { name: 'office' }, token);
  await api('nodes', { name: '<img src=x onerror=alert(1)>', isGateway: true, gatewayNetwork: '192.0.2.0/24' }, token);
  for (let count = 1; count <= 9; count += 1) await api('nodes', { name: `node ${count} of a long row` }, token);
  const domain = 'app.example.test';
  await api('services/1/http', { name: 'App', domain, backendHost: '127.0.0.1', backendPort: 9 }, token);
  await api('services/1/tcp', { name: 'Broker', proto: 'tcp', backendHost: '127.0.0.1', backendPort: 9 }, token);
});

test.afterAll(() => gateway?.close());

async function signedIn(browser: Browser, options: object): Promise<BrowserContext> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  await page.goto(`${gateway.consoleUrl}/login`);
  await check(page, 'login');
  await page.getByLabel(/^Username/).fill(gateway.username);
  await page.getByLabel(/^Password/).fill(gateway.password);
  await press(page, /sign in/i);
  await expect(page).toHaveURL(`${gateway.consoleUrl}/`);
  await page.close();
  return context;
}

/** What must be so on every screen. */
async function check(page: Page, name: string): Promise<void> {
  await page.locator('main').first().waitFor();
  const outside = await page.evaluate(() => ({
    sideways: document.documentElement.scrollWidth - innerWidth,
    dialogs: [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')].filter((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1;
    }).length,
  }));
  expect.soft(outside, `${name} fits`).toEqual({ sideways: 0, dialogs: 0 });
}

for (const width of WIDTHS_PX) {
  test(`every screen and dialog fits ${width} px`, async ({ browser }) => {
    test.setTimeout(120_000);
    const context = await signedIn(browser, { viewport: { width, height: 800 } });
    const strangers: string[] = [];
    context.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'blob:' && protocol !== 'data:' && origin !== gateway.consoleUrl) strangers.push(request.url());
    });
    const page = await context.newPage();
    for (const [name, { at, open }] of Object.entries(scenes)) {
      await page.goto(`${gateway.consoleUrl}${at}`);
      await page.locator('main').first().waitFor();
      await expect(page.locator('[aria-busy=true], .animate-shimmer')).toHaveCount(0);
      await open?.(page);
      await check(page, name);
    }
    expect(strangers).toEqual([]);
    await context.close();
  });
}
