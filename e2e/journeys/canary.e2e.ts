import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, type Page, test } from '@playwright/test';
import { createKeyVault } from '../../packages/gateway/src/vault/keyVault.ts';
import { type BrowserRecord, type Exchange, recordBrowser } from '../support/browserRecord.ts';
import { curl } from '../support/visit.ts';
import { choose, closeUncopied } from '../support/console.ts';
import { type GatewayProcess, signedIn, startGateway } from '../support/gateway.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

const VISITOR = 'visitors-own-secret-5f1c';
const MISTYPED = 'correct horse battery stable';

let gateway: GatewayProcess;
let web: WebServer;
let record: BrowserRecord;
/** The secrets by what they are; those of a kind are looked for together. */
const secrets: Record<string, string[]> = { visitor: [VISITOR], mistyped: [MISTYPED] };
/** What the browser kept, and showed, at the ends of the journeys. */
const kept: string[] = [];
const database: string[] = [];

test.beforeAll(async ({ browser }) => {
  gateway = await startGateway();
  web = await startWebServer((_request, response) => {
    response.end('hello');
  });
  const page = await browser.newPage();
  record = await recordBrowser(page);
  await journeys(page);
  // What the browser still writes down belongs to the record, too.
  await page.close();
  secrets['private key'] = await privateKeysIn(gateway.data);
});

test.afterAll(async () => {
  await web?.close();
  await gateway?.close();
});

/** Everything that an administrator does, in one go. */
async function journeys(page: Page): Promise<void> {
  secrets['password'] = [gateway.password];
  await page.goto(`${gateway.consoleUrl}/nodes`);
  await page.getByLabel(/^Username/).fill(gateway.username);
  await page.getByLabel(/^Password/).fill(MISTYPED);
  await page.getByRole('button', { name: /sign in/i }).click();
  await expect(page.getByText('Invalid Credentials')).toBeVisible();
  await page.getByLabel(/^Password/).fill(gateway.password);
  await page.getByRole('button', { name: /sign in/i }).click();
  await expect(page).toHaveURL(/\/nodes$/);

  await page.getByRole('button', { name: 'Add Client' }).click();
  await page.getByRole('dialog').getByLabel(/^Name/).fill('web-1');
  await page.getByRole('button', { name: 'Save' }).click();
  const ready = page.getByRole('dialog', { name: 'Your Node is Ready' });
  secrets['node token'] = [await ready.getByRole('textbox', { name: 'Token' }).inputValue()];
  await closeUncopied(page, ready);

  await record.settled();
  await page.goto(`${gateway.consoleUrl}/domains`);
  await page.getByRole('button', { name: 'Add Domain' }).first().click();
  const domain = page.getByRole('dialog', { name: 'Domain & SSL Settings' });
  // Only where a name is at fault may its validation be skipped.
  await domain.getByLabel(/^Domain/).fill('no domain');
  await domain.getByRole('button', { name: 'Save' }).click();
  await domain.getByLabel('Skip Domain Validation').check();
  await domain.getByLabel(/^Domain/).fill('app.example.test');
  await domain.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Domain created successfully!')).toBeVisible();
  await expect(page.getByRole('dialog', { name: 'DNS' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: 'app.example.test' })).toBeVisible();

  await record.settled();
  await page.goto(`${gateway.consoleUrl}/nodes`);
  for (const kind of ['HTTP', 'TCP'] as const) {
    await choose(page, 'Local', `Expose ${kind}`);
    const form = page.getByRole('dialog', { name: `Expose ${kind} Service on Node` });
    await form.getByLabel('Service Name').fill(`My ${kind}`);
    if (kind === 'HTTP') await form.getByLabel('Public Domain').fill('app.example.test');
    await form.getByLabel('Backend Host').fill('127.0.0.1');
    await form.getByLabel('Backend Port').fill(String(web.port));
    await form.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('dialog', { name: 'Your Service is Published' })).toBeVisible();
    await page.keyboard.press('Escape');
  }

  await page.getByRole('link', { name: 'web-1' }).click();
  await page.getByRole('button', { name: 'Add Token' }).click();
  await page.getByLabel(/^Name/).fill('laptop');
  await page.getByRole('button', { name: 'Save' }).click();
  const made = page.getByRole('dialog', { name: 'New Access Token Generated' });
  secrets['access token'] = [await made.getByRole('textbox', { name: 'Token' }).inputValue()];
  await closeUncopied(page, made);
  await choose(page, 'laptop', 'Revoke');
  await page.getByRole('button', { name: 'Yes, revoke token!' }).click();
  await expect(page.getByText('Personal Access Token revoked successfully!')).toBeVisible();
  await keep(page);

  await record.settled();
  await page.goto(`${gateway.consoleUrl}/domains/app.example.test/logs`);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const secretly = ['--header', `Authorization: Bearer ${VISITOR}`, '--cookie', `sid=${VISITOR}`];
  await curl(`https://app.example.test:${gateway.ports.https}/seen?access_token=${VISITOR}`, secretly);
  await expect(page.getByText('/seen').first()).toBeVisible();

  await record.settled();
  await page.reload();
  await expect(page.getByText('/seen').first()).toBeVisible();
  secrets['session token'] = sessionTokens(record.exchanges);
  // Clients that cannot send a header may put the token into the address of a stream; the console's does not work there.
  for (const token of secrets['session token']) expect(await openStream(token)).toBe(401);
  const { token: bearer } = await signedIn(gateway);
  secrets['session token'].push(bearer);
  expect(await openStream(bearer)).toBe(200);
  await keep(page);

  await record.settled();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/login/);
  await keep(page);
  expect(await page.context().cookies(`${gateway.consoleUrl}/api/`)).toEqual([]);
  await record.settled();
}

/** What scripts of the page can read, and what it shows. */
async function keep(page: Page): Promise<void> {
  const { origins } = await page.context().storageState({ indexedDB: true });
  const scripts = await page.evaluate(async () => ({
    address: location.href,
    referrer: document.referrer,
    cookie: document.cookie,
    name: window.name,
    state: history.state as unknown,
    local: Object.entries(localStorage),
    session: Object.entries(sessionStorage),
    caches: await caches.keys(),
    loaded: performance.getEntries().map((entry) => entry.name),
    shown: document.documentElement.outerHTML,
  }));
  kept.push(JSON.stringify(origins.map((origin) => origin.localStorage)));
  // Its type does not know what was asked for.
  database.push(JSON.stringify(origins.map((origin) => 'indexedDB' in origin && origin.indexedDB)));
  kept.push(JSON.stringify(scripts));
}

function sessionTokens(exchanges: readonly Exchange[]): string[] {
  const tokens = exchanges.flatMap(({ requestHeaders }) => {
    const [, token] = /^Bearer (.+)$/.exec(requestHeaders['authorization'] ?? '') ?? [];
    return token === undefined ? [] : [token];
  });
  return [...new Set(tokens)];
}

async function openStream(token: string): Promise<number> {
  const address = `${gateway.consoleUrl}/api/nodes/stream?token=${token}`;
  const request = get(address, { rejectUnauthorized: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  request.destroy();
  return response.statusCode ?? 0;
}

/** The kinds of secrets that a text holds, as they are or encoded. */
function found(text: string): string[] {
  return Object.entries(secrets).flatMap(([kind, values]) => {
    const forms = values.flatMap((value) => [
      value,
      encodeURIComponent(value),
      Buffer.from(value).toString('base64'),
      Buffer.from(value).toString('base64url'),
    ]);
    return forms.some((form) => text.includes(form)) ? [kind] : [];
  });
}

test('there are secrets of every kind to look for', () => {
  const kinds = ['access token', 'mistyped', 'node token', 'password', 'private key', 'session token', 'visitor'];
  expect(Object.keys(secrets).toSorted()).toEqual(kinds);
  for (const [kind, values] of Object.entries(secrets)) {
    expect(values.length, kind).toBeGreaterThan(0);
    for (const value of values) expect(value.length, kind).toBeGreaterThan(16);
  }
  expect(secrets['session token']?.[0]).toMatch(/^sps_/);
});

test('secrets travel in the requests and replies that need them, and in no others', () => {
  const places = new Set<string>();
  for (const { method, url, requestHeaders, requestBody, replyHeaders, replyBody } of record.exchanges) {
    const { origin, pathname, search } = new URL(url);
    const call = `${method} ${pathname.replaceAll(/\d+/g, 'N')}`;
    const note = (part: string, text: string) => found(text).forEach((kind) => places.add(`${kind}: ${part}`));
    note(`address of ${call}`, `${pathname}${search}`);
    const to = origin === gateway.consoleUrl && pathname.startsWith('/api/') ? 'the API' : call;
    for (const [name, value] of Object.entries(requestHeaders)) note(`${name} to ${to}`, value);
    note(`body of ${call}`, requestBody);
    for (const [name, value] of Object.entries(replyHeaders)) note(`${name} of the reply to ${call}`, value);
    note(`reply to ${call}`, replyBody);
  }
  expect([...places].toSorted()).toEqual([
    'access token: reply to POST /api/nodes/N/pats',
    'mistyped: body of POST /api/auth/login',
    'node token: reply to POST /api/nodes',
    'password: body of POST /api/auth/login',
    'session token: authorization to the API',
    'session token: reply to POST /api/auth/login',
  ]);
  // Streams were read, and so was what the calls answered.
  const streams = record.exchanges.filter(({ url }) => url.includes('stream'));
  expect(streams.some(({ replyBody }) => replyBody.includes('GET /seen'))).toBe(true);
  expect(streams.some(({ replyBody }) => replyBody.includes('web-1'))).toBe(true);
  // The browser does not give out what fonts are made of.
  const unread = record.exchanges.filter(
    ({ url, replyBody }) => replyBody.startsWith('[not read') && !url.endsWith('.woff2'),
  );
  expect(unread.map(({ method, url, replyBody }) => `${method} ${url} ${replyBody}`)).toEqual([]);
});

test('the browser keeps and says none of them', () => {
  expect(record.addresses.length).toBeGreaterThan(5);
  expect(found(record.addresses.join('\n'))).toEqual([]);
  expect(record.said.join('\n')).toContain('/api/auth/login');
  expect(found(record.said.join('\n'))).toEqual([]);
  expect(kept.join('\n')).toContain('color-scheme');
  expect(found(kept.join('\n'))).toEqual([]);
  // The token that needs a key is kept, for this origin alone, next to the key that no script can read.
  expect(found(database.join('\n'))).toEqual(['session token']);
  expect(database.at(-1)).not.toContain('sps_');
});

test('neither logs nor the history of lines nor any other file holds one, nor the list of processes', async () => {
  const places: string[] = [];
  const files = await filesBelow(gateway.data);
  for (const file of files) {
    const kinds = found(await readFile(path.join(gateway.data, file), 'latin1'));
    // Keys are kept in the one directory that only the gateway may read.
    const own = file.startsWith('secrets/') ? ['private key'] : [];
    places.push(...kinds.filter((kind) => !own.includes(kind)).map((kind) => `${kind}: ${file}`));
  }
  expect(places).toEqual([]);
  expect(files).toContain('ingress/logs/access.log');
  const log = await readFile(path.join(gateway.data, 'ingress/logs/access.log'), 'utf8');
  expect(log).toContain('GET /seen?[redacted]');

  expect(gateway.output()).toContain('Sallyport is running');
  expect(found(gateway.output())).toEqual([]);

  const commands = await commandLines();
  expect(commands.filter((command) => command.includes('nginx')).length).toBeGreaterThan(0);
  expect(found(commands.join('\n'))).toEqual([]);
});

async function commandLines(): Promise<string[]> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(numbers.map((number) => readFile(`/proc/${number}/cmdline`, 'utf8').catch(() => '')));
}

test('the console asked no one but its own origin, and broke its own policy nowhere', () => {
  const elsewhere = record.exchanges.map(({ url }) => new URL(url).origin).filter((at) => at !== gateway.consoleUrl);
  expect(record.exchanges.length).toBeGreaterThan(50);
  expect(elsewhere).toEqual([]);
  expect(record.violations).toEqual([]);
  expect(record.said.filter((text) => /content security|trusted/i.test(text))).toEqual([]);
});

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----([^-]+)-----END/g;
/** What follows in a key of this kind is the same for all of them. */
const LINES_ALIKE = 1;

/** Every file below a directory, as paths below it. */
async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)));
}

/** The private keys in a gateway's data directory: of its certificates, of its nodes, and the one that seals those. */
async function privateKeysIn(data: string): Promise<string[]> {
  const directory = path.join(data, 'secrets');
  const keys: string[] = [];
  for (const file of await filesBelow(directory)) {
    const text = await readFile(path.join(directory, file), 'utf8');
    for (const [, base64 = ''] of text.matchAll(PRIVATE_KEY)) {
      keys.push(...base64.trim().split('\n').slice(LINES_ALIKE));
    }
  }
  const vaultFile = path.join(directory, 'vault.key');
  keys.push((await readFile(vaultFile, 'utf8')).trim());
  return [...keys, ...(await nodeKeysIn(data, vaultFile))].filter((key) => key.length > 16);
}

type Keys = { a: string | null; b: string | null };

async function nodeKeysIn(data: string, vaultFile: string): Promise<string[]> {
  const vault = await createKeyVault(vaultFile);
  const opened = new DatabaseSync(path.join(data, 'sallyport.db'), { readOnly: true });
  try {
    const rows = opened.prepare('select sealed_private_key a, sealed_preshared_key b from nodes').all() as Keys[];
    return rows.flatMap(({ a, b }) => [a, b]).flatMap((text) => (text === null ? [] : [vault.open(text).reveal()]));
  } finally {
    opened.close();
  }
}
