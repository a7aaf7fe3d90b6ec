import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../testing.ts';
import { testApi } from '../../testing/testApi.ts';

const LARGE = 'export const large = 1;\n'.repeat(100);

let directory: string;
let gateway: TestGateway;
let bare: TestGateway;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-console-'));
  mkdirSync(join(directory, 'dist', 'assets'), { recursive: true });
  writeFileSync(join(directory, 'secret.txt'), 'secret');
  writeFileSync(join(directory, 'dist', 'index.html'), '<!doctype html><title>console</title>');
  writeFileSync(join(directory, 'dist', 'favicon.svg'), '<svg/>');
  writeFileSync(join(directory, 'dist', 'assets', 'main-Ab12.js'), 'export {}');
  writeFileSync(join(directory, 'dist', 'assets', 'large-Ef56.js'), LARGE);
  writeFileSync(join(directory, 'dist', 'assets', 'large-Ef56.js.br'), brotliCompressSync(LARGE));
  writeFileSync(join(directory, 'dist', 'assets', 'large-Ef56.js.gz'), gzipSync(LARGE));
  mkdirSync(join(directory, 'dist', 'docs'));
  writeFileSync(join(directory, 'dist', 'docs', 'index.html'), '<!doctype html><title>documentation</title>');
  writeFileSync(join(directory, 'dist', 'docs', 'cli.html'), '<!doctype html><title>command line</title>');
  symlinkSync(join(directory, 'secret.txt'), join(directory, 'dist', 'link.txt'));
  gateway = await createTestGateway({ consoleDirectory: join(directory, 'dist') });
  bare = await createTestGateway();
});
afterAll(async () => {
  await gateway.stop();
  await bare.stop();
  rmSync(directory, { recursive: true, force: true });
});

const page = { headers: { accept: 'text/html,*/*' } };

describe('the console', () => {
  it.each(['/', '/nodes/1', '/login', '/index.html'])(
    'is the page for %s, and may do nothing that it need not',
    async (path) => {
      const response = await gateway.fetch(path, page);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('<title>console</title>');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      const policy = response.headers.get('content-security-policy') ?? '';
      for (const part of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]) {
        expect(policy).toContain(part);
      }
      expect(policy).not.toContain('unsafe');
    },
  );

  it('keeps what is named after its content, and asks again for the rest', async () => {
    const script = await gateway.fetch('/assets/main-Ab12.js');
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('content-type')).toMatch(/^text\/javascript/);
    const icon = await gateway.fetch('/favicon.svg');
    expect(icon.headers.get('cache-control')).toBe('no-cache');
    expect(icon.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['deflate', null, null],
    ['br;q=0, gzip;q=0.0', null, null],
    [null, null, null],
  ])('is sent as compressed as "accept-encoding: %s" allows', async (accepted, encoding, read) => {
    const headers = accepted === null ? {} : { 'accept-encoding': accepted };
    const response = await gateway.fetch('/assets/large-Ef56.js', { headers });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe(encoding === null ? null : 'Accept-Encoding');
    expect(response.headers.get('content-type')).toMatch(/^text\/javascript/);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(Buffer.from(read === null ? bytes : read(bytes)).toString()).toBe(LARGE);
  });

  it.each([
    ['/docs', 'documentation'],
    ['/docs/', 'documentation'],
    ['/docs/cli', 'command line'],
    // What is no page of the documentation is left to the console, which says so.
    ['/docs/nope', 'console'],
    ['/docs/cli/', 'console'],
    ['/docs/CLI', 'console'],
  ])('answers %s with the page "%s"', async (path, title) => {
    const response = await gateway.fetch(path, page);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`<title>${title}</title>`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toMatch(/^no-(cache|store)$/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/%00main-Ab12.js',
    '/link.txt',
    '//secret.txt',
    '/assets/',
    '/assets/gone-Cd34.js',
  ])('does not hand out %s', async (path) => {
    const response = await gateway.fetch(new Request(`http://gateway.test${path}`));
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('secret');
  });

  it.each(['/', '/favicon.svg'])('has headers without a body for HEAD %s', async (path) => {
    const response = await gateway.fetch(path, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('is no answer to a call, whatever the caller accepts', async () => {
    expect((await gateway.fetch('/api/nope', page)).status).toBe(404);
    expect((await gateway.fetch('/', { ...page, method: 'POST' })).status).toBe(404);
  });

  it('says what to do when it is not built', async () => {
    const response = await bare.fetch('/', page);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('pnpm build');
  });

  it('is no page at a domain of services, whose owner may lead it elsewhere, unless the domain is its own', async () => {
    const { edgeId } = await gateway.seed();
    const at = (host: string, path = '/') => gateway.fetch(`https://${host}:9443${path}`, page);
    const refused = await at('app.example.test', '/login');
    expect(refused.status).toBe(421);
    expect(await refused.text()).toContain('Open it at <a href="https://');
    expect((await at('gateway.example.test')).status).toBe(200);
    expect((await at('other.example.test')).status).toBe(200);

    const api = testApi(gateway, await gateway.signIn());
    const [console] = await gateway.store.httpServices.all({ builtin: true });
    const { nodeId = edgeId, id = 0 } = console ?? {};
    const moved = await api(`PATCH /api/services/${nodeId}/http/${id}`, { domain: 'console.example.test' });
    expect(moved.status).toBe(200);
    expect((await at('console.example.test')).status).toBe(200);
  });
});
