import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Context } from 'hono';
import { isOwnName } from '../../rules/domainName.ts';
import type { HandlerParts } from '../context.ts';
import { publicUrl } from '../service/publicAddress.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  // The console needs no text turned into markup or code, so there is no way to do it.
  "trusted-types 'none'",
].join('; ');

const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

const INDEX = '/index.html';
/** What the bundler names after its content never changes. */
const HASHED = '/assets/';
/** A page of the documentation: its address has no ending, and the first one no name. */
const DOCS_PAGE = /^\/docs(?:\/([a-z0-9-]*))?$/;

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sallyport</title></head>
<body><h1>The console is not built</h1>
<p>The gateway and its API are running. Run <code>pnpm build</code>, then start the gateway again.</p></body></html>
`;

const elsewhere = (url: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sallyport</title></head>
<body><h1>The console is not at this name</h1>
<p>This is a domain of services. Open it at <a href="${url}">${url}</a>, or by an address of the gateway.</p></body></html>
`;

/** On its own port, where it always answers. */
const NAMELESS_CONSOLE = { domain: null, pathLocation: '/', builtin: true };

type Named = Pick<HandlerParts, 'store' | 'settings'>;

/**
 * Whether a name is a domain of services, and not of the console. Its owner may have it lead elsewhere later, where a page would be
 * given what a browser keeps of a session that was begun under this name.
 */
async function isOfServices(domain: string, { store, settings }: Named): Promise<boolean> {
  if (isOwnName(domain, settings.hostNames)) return false;
  try {
    const [row] = await store.domains.all({ domain });
    return row !== undefined && (await store.httpServices.all({ domain, builtin: true })).length === 0;
  } catch {
    // What is wrong with the database, the console has to say.
    return false;
  }
}

/**
 * The files of the console, as the build compressed them where the browser takes that. Only what lies in its directory
 * when the gateway starts is served, by its exact name: no request is ever turned into a path.
 * @param directory null: there is no console
 */
export function createStaticFiles(directory: string | null, named: Named): (c: Context) => Promise<Response | null> {
  const files = directory === null ? new Map<string, string>() : filesIn(directory);
  const send = async (c: Context, file: string, headers: Record<string, string> = {}): Promise<Response | null> => {
    for (const [name, value] of Object.entries({ ...PAGE_HEADERS, ...headers })) c.header(name, value);
    return (await serveStatic({ path: file, precompressed: true })(c, () => Promise.resolve())) ?? null;
  };
  const page = async (c: Context): Promise<Response | null> => {
    if (await isOfServices(new URL(c.req.url).hostname, named)) {
      return c.html(elsewhere(publicUrl(NAMELESS_CONSOLE, named.settings)), 421, PAGE_HEADERS);
    }
    const index = files.get(INDEX);
    return index === undefined ? c.html(NOT_BUILT, 503, PAGE_HEADERS) : send(c, index);
  };
  return async (c) => {
    if (!['GET', 'HEAD'].includes(c.req.method)) return null;
    const path = filePathOf(c.req.path);
    const file = files.get(path);
    if (file !== undefined && path !== INDEX) {
      return send(c, file, {
        'cache-control': path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
      });
    }
    // The console knows its own addresses; a missing script or picture is not one of them.
    return path === '/' || (c.req.header('accept') ?? '').includes('text/html') ? page(c) : null;
  };
}

function filePathOf(address: string): string {
  const page = DOCS_PAGE.exec(address);
  return page === null ? address : `/docs/${page[1] || 'index'}.html`;
}

function filesIn(directory: string): Map<string, string> {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return new Map(
      entries.map((entry) => {
        const file = join(entry.parentPath, entry.name);
        return [`/${relative(directory, file).split(sep).join('/')}`, file];
      }),
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw error;
  }
}
