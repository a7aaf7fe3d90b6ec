import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startInTerminal } from './testing/process.ts';
import { type Served, listen } from './testing/serve.ts';

let base: string;
let server: Served | undefined;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
});
afterEach(async () => {
  await server?.close();
  rmSync(base, { recursive: true });
});

/** The environment of someone who is signed in to a gateway that answers as `listener` does. */
async function signedIn(listener: RequestListener): Promise<Record<string, string>> {
  server = await listen(listener);
  const session = { url: server.url, username: 'admin', token: 'none', expiresAt: null, pin: null };
  writeFileSync(join(base, 'config.json'), JSON.stringify({ version: 1, profiles: { default: session } }));
  return { SALLYPORT_CONFIG_DIR: base };
}

describe.each(['top', 'node list --watch'])('%s', (line) => {
  it('is there before the gateway has answered, also where CI is set', async () => {
    const env = await signedIn(() => undefined);
    const screen = startInTerminal(line.split(' '), { ...env, CI: 'true' });
    await screen.until(/Connecting ….* q quits/);
    screen.child.stdin.write('q');
    expect((await screen.ended).code).toBe(0);
  });

  it('leaves the error alone behind when the gateway refuses: 4', async () => {
    const env = await signedIn((_request, response) =>
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"Unauthorized"}'),
    );
    const { code, out } = await startInTerminal(line.split(' '), env).ended;
    expect(code).toBe(4);
    // What was drawn is gone with its screen.
    const [drawn = '', left = ''] = out.split('\x1b[?1049l');
    expect(drawn).toContain('q quits');
    expect(left).not.toContain('q quits');
    expect(left).toMatch(/sallyport: .* Sign in with `sallyport login --operator`\.\r\n/);
  });
});

describe('top', () => {
  it('says that it is live, and no longer once a stream of it breaks off', async () => {
    const json = { 'content-type': 'application/json' };
    const streams: ServerResponse[] = [];
    const env = await signedIn(({ url = '' }, response) => {
      if (!url.includes('/stream')) return response.writeHead(200, json).end('{"id":1,"type":"admin","name":"admin"}');
      // What is opened again is not answered any more.
      if (streams.length < 3) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"data":[],"page":1,"limit":10,"total":0}\n\n');
      }
      return streams.push(response);
    });
    const screen = startInTerminal(['top'], env);
    await screen.until(/Live.* q quits/);
    streams.find(({ req }) => req.url?.includes('/http/'))?.end();
    await screen.until(/Connecting again ….* q quits/);
    screen.child.stdin.write('q');
    expect((await screen.ended).code).toBe(0);
  });
});

describe('logs --follow', () => {
  const LINE = '2026-11-21T12:00:00.123Z WARN 198.51.100.7 "GET /\x1b[2J HTTP/1.1" 404 512 3ms 127.0.0.1:8080';

  it('shows a line in the colour of its level; behind Ctrl+C the terminal goes on on a line of its own: 130', async () => {
    const env = await signedIn((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`id: 1\ndata: ${JSON.stringify([LINE])}\n\n`),
    );
    const logs = startInTerminal(['logs', '--domain', 'app.example.test', '--follow'], env);
    await logs.until(/ 404 [^\n]*\n/);
    logs.child.stdin.write('\x03');
    const shown = `\x1b[33m${LINE.replace('\x1b', '\\x1b')}\x1b[39m`;
    expect(await logs.ended).toMatchObject({ code: 130, out: `${shown}\r\n^C\r\n` });
  });
});
