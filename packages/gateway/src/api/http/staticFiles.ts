import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Context } from 'hono';
import { getMimeType } from 'hono/utils/mime';

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
  // The console needs no text turned into markup or code, so nobody gets a way to do it.
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
/** What the build lays beside a file for whoever reads it compressed, by the name that HTTP has for it; the best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
/** A page of the documentation: its address has no ending, and the first one no name. */
const DOCS_PAGE = /^\/docs(?:\/([a-z0-9-]*))?$/;

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sallyport</title></head>
<body><h1>The console is not built</h1>
<p>The gateway and its API are running. Run <code>pnpm build</code>, then start the gateway again.</p></body></html>
`;

/**
 * The files of the console. Only what lies in its directory when the gateway starts is served, by its exact name: no
 * request is ever turned into a path.
 * @param directory null: there is no console
 */
export function createStaticFiles(directory: string | null): (c: Context) => Response | null {
  const files = directory === null ? new Map<string, string>() : filesIn(directory);
  const send = (c: Context, path: string, file: string, headers: Record<string, string> = {}): Response => {
    const [encoding, ending] =
      ENCODINGS.find(([name, end]) => files.has(path + end) && accepts(c.req.header('accept-encoding'), name)) ?? [];
    return new Response(readFileSync(file + (ending ?? '')), {
      headers: {
        ...PAGE_HEADERS,
        'content-type': getMimeType(path) ?? 'application/octet-stream',
        vary: 'accept-encoding',
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
        ...headers,
      },
    });
  };
  const page = (c: Context): Response => {
    const index = files.get(INDEX);
    return index === undefined
      ? new Response(NOT_BUILT, {
          status: 503,
          headers: { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' },
        })
      : send(c, INDEX, index);
  };
  return (c) => {
    if (!['GET', 'HEAD'].includes(c.req.method)) return null;
    const path = filePathOf(c.req.path);
    const file = files.get(path);
    if (file !== undefined && path !== INDEX) {
      return send(c, path, file, {
        'cache-control': path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
      });
    }
    // The console knows its own addresses; a missing script or picture is not one of them.
    return path === '/' || (c.req.header('accept') ?? '').includes('text/html') ? page(c) : null;
  };
}

/** Whether a request takes a body in that encoding; one that it does not name it does not take. */
function accepts(header: string | undefined, encoding: string): boolean {
  return (header ?? '').split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
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
