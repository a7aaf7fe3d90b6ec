import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';

const pages = ['../README.md', '../docs/recipes.md'].map((page) =>
  readFileSync(new URL(page, import.meta.url), 'utf8'),
);
const examples = [...pages.join('\n').matchAll(/^## (.+)$[^]*?^```ts\n([^]*?)^```$/gm)].map(
  ([, title = '', code = '']) => ({
    title,
    code,
  }),
);
const directory = mkdtempSync(join(tmpdir(), 'sallyport-readme-'));
afterAll(() => rmSync(directory, { recursive: true }));

const service = {
  id: 7,
  nodeId: 1,
  name: 'Wiki',
  backendPort: 8000,
  enabled: true,
  backendProto: 'http',
  requireAuth: false,
};
const node = {
  id: 2,
  version: 4,
  name: 'edge',
  address: '192.0.2.2',
  allowInternet: false,
  isGateway: false,
  isLocal: false,
  enabled: true,
};
const problems = [{ field: 'domain', message: 'This field must contain a valid domain name' }];
const events =
  'data: ["2026-11-21T07:10:11.123Z WARN 203.0.113.7 \\"GET /\\u001b[2J HTTP/1.1\\" 404 0 1ms -","\\u001b[31m"]\n\n';

/** What the gateway of the examples answers, by method and path; and with `If-Match`, where it is to be given. */
const replies: Record<string, () => Response> = {
  'POST /api/services/1/http': () => Response.json({ ...service, publicAccess: 'https://wiki.example.com/' }),
  'POST /api/auth/login': () => Response.json({ token: 'opaque', expires_in: 43_200 }),
  'GET /api/nodes?page=1&limit=10&search=edge': () => Response.json({ data: [node], page: 1, limit: 10, total: 1 }),
  'PATCH /api/nodes/2 if "4"': () => Response.json({ ...node, version: 5, keepalive: 25 }),
  'GET /api/nodes/2/download': () =>
    new Response('[Interface]', { headers: { 'content-disposition': 'attachment; filename="edge.conf"' } }),
  'GET /api/logs/stream?domain=wiki.example.com': () =>
    new Response(events, { headers: { 'content-type': 'text/event-stream' } }),
  'GET /api/nodes?limit=100&orderBy=id%2Casc&search=edge&page=1': () =>
    Response.json({ data: [node], page: 1, limit: 100, total: 1 }),
  'GET /api/nodes/2': () => Response.json(node, { headers: { 'x-request-id': 'r-7' } }),
  'GET /api/nodes?page=1&limit=1': () => Response.json({ data: [node], page: 1, limit: 1, total: 3 }),
  'GET /api/domains': () => new Response(null, { status: 401 }),
  'POST /api/domains': () =>
    Response.json({ message: 'Validation failed', errors: { body: problems } }, { status: 422 }),
};

/** What each example prints. */
const printed: Record<string, unknown[][]> = {
  Start: [['Wiki is at https://wiki.example.com/']],
  'A token': [['Signed in for 43200 seconds']],
  Methods: [['1 nodes; edge.conf has 11 bytes']],
  Streams: [
    ['WARN', '2026-11-21T07:10:11.123Z WARN 203.0.113.7 "GET /\\x1b[2J HTTP/1.1" 404 0 1ms -'],
    [null, '\\x1b[31m'],
  ],
  Errors: [['domain: This field must contain a valid domain name']],
  Rules: [
    ['Path Location must be an absolute URL path containing only letters, numbers, "/", ".", "_", "~", and "-"'],
    ['This field is required'],
    [{ allowed: false, reason: "Local node can't be deleted" }],
  ],
  'Every row of a list': [['edge is offline']],
  'Headers and the number of a request': [['edge: 200, request r-7']],
  'Another token, or more patience': [['3 nodes']],
  'Tell failures apart': [['The token has ended.']],
};

beforeEach(() => {
  vi.stubEnv('SALLYPORT_TOKEN', 'opaque');
  vi.stubEnv('SALLYPORT_PASSWORD', 'secret');
  vi.stubGlobal('fetch', async (request: Request) => {
    const { origin, pathname, search } = new URL(request.url);
    const condition = request.headers.get('if-match');
    const call = `${request.method} ${pathname}${search}${condition ? ` if ${condition}` : ''}`;
    if (origin !== 'https://gateway.example:9443' || !replies[call]) throw new Error(`nobody expects ${call}`);
    return replies[call]();
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('no link leaves the package', () => {
  const links = pages.flatMap((page) => [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link));
  expect(links.filter((link) => !/^(?:https:|docs\/)/.test(link ?? ''))).toEqual([]);
});

test('README and recipes have an example in each of their sections', () => {
  expect(examples.map(({ title }) => title)).toEqual(Object.keys(printed));
});

test.each(examples)('the example of "$title" does what it says', async ({ title, code }) => {
  const output = vi.spyOn(console, 'log').mockReturnValue();
  const file = join(directory, `${title.replaceAll(/\W/g, '')}.ts`);
  const index = new URL('index.ts', import.meta.url).pathname;
  writeFileSync(file, code.replace("'@sallyport/sdk'", JSON.stringify(index)));
  await import(/* @vite-ignore */ pathToFileURL(file).href);
  expect(output.mock.calls).toEqual(printed[title]);
});
