import { expect } from '@playwright/test';
import { curl } from '../support/visit.ts';
import { recordBrowser } from '../support/browserRecord.ts';
import { test } from '../support/console.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
};

let other: WebServer;

test.beforeAll(async ({ gateway }) => {
  other = await startWebServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*').setHeader('content-type', 'text/html');
    response.end(request.url === '/frame' ? `<iframe src="${gateway.consoleUrl}/login"></iframe>` : 'elsewhere');
  });
});

test.afterAll(() => other?.close());

for (const address of ['/', '/login', '/nodes/1', '/no/such/page', '/docs', '/docs/terms']) {
  test(`the policy of ${address} allows the own origin alone, and nothing inline`, async ({ request, gateway }) => {
    const reply = await request.get(`${gateway.consoleUrl}${address}`, { headers: { accept: 'text/html' } });
    const headers = reply.headers();
    const parts = (headers['content-security-policy'] ?? '').split('; ').map((part) => part.split(/ (.*)/, 2));
    expect(Object.fromEntries(parts)).toEqual(POLICY);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    // The page itself obeys it.
    const html = await reply.text();
    expect(html).toContain('<script');
    expect(html).not.toMatch(/<script(?![^>]* src="\/)/);
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=/);
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
}

test('answers of the API are no pages: nothing may run or be framed', async ({ gateway }) => {
  const { body } = await curl(`${gateway.consoleUrl}/api/nodes`, ['--include']);
  expect(body).toMatch(/^x-content-type-options: nosniff/im);
  expect(body).toMatch(/^content-type: application\/json/im);
});

test('Chromium holds to it', async ({ page, gateway }) => {
  const { violations } = await recordBrowser(page);
  await page.goto(`${gateway.consoleUrl}/login`);
  await expect(page.getByRole('button', { name: /sign in/i })).toBeVisible();
  expect(violations).toEqual([]);

  const outcome = await page.evaluate(async (elsewhere) => {
    const attempt = async (work: () => unknown) => {
      try {
        return String(await work());
      } catch (error) {
        return error instanceof Error ? error.name : 'thrown';
      }
    };
    const inserted = (element: HTMLScriptElement, text: string) => {
      element.append(text);
      document.body.append(element);
      return Reflect.get(globalThis, 'ran');
    };
    return {
      markup: await attempt(() => (document.body.innerHTML = '<img src="x" onerror="globalThis.ran = true">')),
      inline: await attempt(() => inserted(document.createElement('script'), 'globalThis.ran = true')),
      source: await attempt(() => (document.createElement('script').src = `${elsewhere}/script.js`)),
      policy: await attempt(() => Reflect.get(globalThis, 'trustedTypes').createPolicy('mine', {})),
      fetched: await attempt(() => fetch(elsewhere)),
    };
  }, other.url);
  expect(outcome).toEqual({
    markup: 'TypeError',
    inline: 'undefined',
    source: 'TypeError',
    policy: 'TypeError',
    fetched: 'TypeError',
  });
  expect(other.requests).toEqual([]);
  // Anyone who listens for violations hears of them.
  await expect.poll(() => violations.join('\n')).toContain('connect-src');
  expect(violations.join('\n')).toContain('require-trusted-types-for');
});

test('no page of another origin can show the console in a frame', async ({ page }) => {
  const refused = page.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()));
  await page.goto(`${other.url}/frame`);
  await refused;
  await expect(page.frameLocator('iframe').getByRole('button', { name: /sign in/i })).toHaveCount(0);
});
