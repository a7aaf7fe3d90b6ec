import { beforeEach, describe, expect, it } from 'vitest';
import { signedIn } from '../testing/signedIn.ts';

const line = (level: string, status: number, path = '/') =>
  `2026-11-21T12:00:00.123Z ${level} 198.51.100.7 "GET ${path} HTTP/1.1" ${status} 512 3ms 127.0.0.1:8080`;
const OK = line('INFO', 200);
const LOST = line('WARN', 404, '/lost');
const BROKEN = line('ERROR', 502, '/broken');

let at: Awaited<ReturnType<typeof signedIn>>;
let gateway: typeof at.gateway;
let shell: typeof at.shell;
let ids: typeof at.ids;
/** What the gateway answers on the log stream; the gateway itself unless a test says otherwise. */
let answerLogs: (request: Request) => Promise<Response>;

beforeEach(async () => {
  at = await signedIn((request) => (request.url.includes('/api/logs/') ? answerLogs(request) : null));
  ({ gateway, shell, ids } = at);
  answerLogs = gateway.fetch;
});

const addLines = (...lines: string[]) => gateway.system.logs.push({ kind: 'http', id: ids.appId }, lines);
const appLogs = ['logs', '--service', 'App'];

describe('the history', () => {
  it('is printed as it is when piped, and that is all', async () => {
    addLines(OK, LOST, BROKEN);
    expect(await shell.run(appLogs)).toEqual({ code: 0, out: `${OK}\n${LOST}\n${BROKEN}\n`, err: '' });
  });

  it('may be empty', async () => {
    expect(await shell.run(appLogs)).toEqual({ code: 0, out: '', err: '' });
  });

  it('has the colours of its levels on a terminal', async () => {
    addLines(OK, LOST, BROKEN, line('DEBUG', 200), 'no level at all');
    const { out } = await shell.run(appLogs, { terminal: true });
    const colours = out.split('\n').map((text) => (text.startsWith('\x1b[') ? text.slice(2, 4) : null));
    expect(colours).toEqual(['34', '33', '31', '32', null, null]);
    expect((await shell.run([...appLogs, '--no-color'], { terminal: true })).out).not.toContain('\x1b');
  });

  it('is a document a line as JSON', async () => {
    addLines(LOST, 'nginx says something');
    const { out } = await shell.run([...appLogs, '--json']);
    const [first, second] = out.split('\n').map((text) => text && JSON.parse(text));
    expect(first).toMatchObject({
      version: 1,
      line: LOST,
      level: 'WARN',
      request: { client: '198.51.100.7', status: 404 },
    });
    expect(second).toEqual({ version: 1, line: 'nginx says something', level: null, request: null });
  });

  it.each([
    [['--lines', '1'], [BROKEN]],
    [['--lines', '0'], []],
    [
      ['--level', 'warn'],
      [LOST, BROKEN],
    ],
    [
      ['--grep', 'lost|broken'],
      [LOST, BROKEN],
    ],
    [['--grep', 'lost|broken', '--lines', '1'], [BROKEN]],
    [['--level', 'error', '--grep', 'lost'], []],
  ])('is narrowed by %j', async (more, lines) => {
    addLines(OK, LOST, BROKEN);
    const { out } = await shell.run([...appLogs, ...more]);
    expect(out.split('\n').filter(Boolean)).toEqual(lines);
  });

  it('cannot steer the terminal', async () => {
    addLines('GET /\x1b]0;owned\x07\x1b[2J\u009b31m\u202e', 'two\rin one');
    for (const options of [{ terminal: true, env: { NO_COLOR: '1' } }, {}]) {
      const { out } = await shell.run(appLogs, options);
      expect(out).toBe('GET /\\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\u202e\ntwo\\x0din one\n');
    }
    const { out } = await shell.run([...appLogs, '--json'], { terminal: true });
    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(JSON.parse(out.split('\n')[0] ?? '').line).toBe('GET /\x1b]0;owned\x07\x1b[2J\u009b31m\u202e');
  });

  it('of a domain holds the lines of all its services', async () => {
    gateway.system.logs.push({ kind: 'domain', id: ids.domainId }, [OK]);
    expect((await shell.run(['logs', '--domain', 'app.example.test'])).out).toBe(`${OK}\n`);
  });
});

describe('a service', () => {
  it('is found by its id, on its node, by its type', async () => {
    addLines(OK);
    for (const more of [
      ['--service', String(ids.appId)],
      ['--service', 'App', '--node', 'Local', '--type', 'http'],
    ]) {
      expect((await shell.run(['logs', ...more])).out).toBe(`${OK}\n`);
    }
  });

  it('is none of two of which one has the id as its name: nodes choose the names of their services', async () => {
    const client = { authorization: `Bearer ${await gateway.signIn()}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: String(ids.appId), pathLocation: '/five' });
    await gateway.fetch(`/api/services/${ids.edgeId}/http`, { method: 'POST', headers: client, body });
    const { code, out } = await shell.run(['logs', '--service', String(ids.appId)]);
    expect([code, out]).toEqual([5, '']);
    addLines(OK);
    const onLocal = await shell.run(['logs', '--service', String(ids.appId), '--node', 'Local']);
    expect(onLocal.out).toBe(`${OK}\n`);
    const byId = ['logs', '--service', `id:${ids.appId}`, '--type', 'http'];
    expect((await shell.run(byId)).out).toBe(`${OK}\n`);
  });

  it('that is unknown ends with exit code 5 and those that come near', async () => {
    const { code, out, err } = await shell.run(['logs', '--service', 'app']);
    expect({ code, out }).toEqual({ code: 5, out: '' });
    expect(err).toBe(
      `sallyport: There is no service "app". There are:\n  ${ids.appId}  App  http  node 1  https://app.example.test/\n`,
    );
    const onNode = await shell.run(['logs', '--service', 'App', '--node', 'edge']);
    expect(onNode.code).toBe(5);
    expect(onNode.err).toContain('Wiki');
  });

  it('whose name fits more than one ends with exit code 5 and tells them apart', async () => {
    const client = { authorization: `Bearer ${await gateway.signIn()}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'App', pathLocation: '/app' });
    await gateway.fetch(`/api/services/${ids.edgeId}/http`, { method: 'POST', headers: client, body });
    const { code, err } = await shell.run(appLogs);
    expect(code).toBe(5);
    expect(err).toMatch(
      /^sallyport: More than one service has the name or the id "App"\. Say which one by its id, as id:\d+, with --type, or by --node:\n/,
    );
    expect(err.split('\n').filter((text) => text.startsWith('  '))).toHaveLength(2);
    expect((await shell.run([...appLogs, '--node', 'edge'])).code).toBe(0);
  });
});

describe('--follow', () => {
  const follow = [...appLogs, '--follow'];

  /** Runs until all of `lines` are there, doing each step when the line before it has arrived. */
  const until = async (lines: number, step: (seen: number) => void, argv = follow) => {
    const stop = new AbortController();
    let seen = -1;
    return shell.run(argv, {
      signal: stop.signal,
      onOutput: (text) => {
        const now = text.split('\n').length - 1;
        if (now >= lines) stop.abort();
        else if (now !== seen) step((seen = now));
      },
    });
  };

  it('goes on with each new line until it is interrupted', async () => {
    addLines(OK);
    const { code, out, err } = await until(3, (seen) => addLines(seen === 1 ? LOST : BROKEN));
    expect({ code, out, err }).toEqual({ code: 130, out: `${OK}\n${LOST}\n${BROKEN}\n`, err: '' });
  });

  it('leaves the history out with --lines 0, but not what comes after', async () => {
    addLines(OK, OK);
    answerLogs = async (request) => {
      const reply = await gateway.fetch(request);
      addLines(LOST);
      return reply;
    };
    expect((await until(1, () => undefined, [...follow, '--lines', '0'])).out).toBe(`${LOST}\n`);
  });

  it('connects again after a second, goes on where it was, and says so', async () => {
    addLines(OK);
    const connected: (string | null)[] = [];
    answerLogs = async (request) => {
      connected.push(request.headers.get('last-event-id'));
      if (connected.length === 2) throw new TypeError('fetch failed');
      const reply = await gateway.fetch(request);
      if (connected.length > 1 || !reply.body) return reply;
      // The first connection breaks off after the history.
      const { value } = await reply.body.getReader().read();
      addLines(LOST);
      return new Response(value ?? null, { headers: reply.headers });
    };
    const { out, err } = await until(3, (seen) => seen === 2 && addLines(BROKEN));
    expect(out).toBe(`${OK}\n${LOST}\n${BROKEN}\n`);
    expect(err).toBe('The connection broke off; connecting again every second.\nConnected again.\n');
    expect(connected).toEqual([null, '0-000000000000001', '0-000000000000001']);
  });

  it('ends with exit code 6 when the gateway was never there, at once', async () => {
    answerLogs = () => Promise.reject(new TypeError('fetch failed'));
    const { code, err } = await shell.run(follow);
    expect(code).toBe(6);
    expect(err).toMatch(/^sallyport: The gateway cannot be reached/);
  });
});
