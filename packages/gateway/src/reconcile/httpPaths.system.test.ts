import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expose,
  openReconcileTrial,
  PORTS,
  type ReconcileTrial,
  save,
  serviceRow,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';
import { rawRequest } from '../testing/wire.ts';

let trial: ReconcileTrial;
const stops: (() => Promise<void>)[] = [];

/** Answers with its own name and what it was asked. */
const backend = async (name: string): Promise<number> => {
  const { port, stop } = await startBackend(({ url, headers }, response) =>
    response.end(JSON.stringify({ name, url, host: headers.host })),
  );
  stops.push(stop);
  return port;
};

type Seen = { name: string; url: string; host: string };
const seenIn = (answer: string): Seen =>
  JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)) as Seen;
const seen = async (host: string, path = '/'): Promise<Seen> => seenIn((await visit(trial, host, { path })).body);

const host = 'paths.example.test';

beforeAll(async () => {
  trial = await openReconcileTrial();
  await expose(trial, host, await backend('root'));
  await expose(trial, host, await backend('app'), { pathLocation: '/app' });
  await expose(trial, host, await backend('deep'), { pathLocation: '/app/deep/' });
});
afterAll(async () => {
  await trial.close();
  await Promise.all(stops.map((stop) => stop()));
});

describe('the path of a service', () => {
  it.each([
    ['/', 'root'],
    ['/apple', 'root'],
    ['/APP', 'root'],
    ['/ap', 'root'],
    ['/other/app', 'root'],
    ['/app', 'app'],
    ['/app/', 'app'],
    ['/app?x=1', 'app'],
    ['/app/deeper', 'app'],
    ['/app/deep', 'deep'],
    ['/app/deep/', 'deep'],
    ['/app/deep/a%20b//c', 'deep'],
    // As a backend would understand it, so that no spelling leads past the lists of a longer path.
    ['//app', 'app'],
    ['/app//deep/x', 'deep'],
    ['/%61pp/x', 'app'],
    ['/app%2Fdeep', 'deep'],
    ['/x/..%2Fapp/deep', 'deep'],
    ['/x/%2e%2e/app', 'app'],
    ['/app/./deep', 'deep'],
    ['/app/deep/../../up', 'root'],
    // Decoded once, as backends do.
    ['/%2561pp', 'root'],
  ])('fits %s to the longest one, and passes it on as it was asked', async (path, name) => {
    // A client of Node would tidy some of them up.
    const answer = await rawRequest(trial, host, [`GET ${path} HTTP/1.1`, `Host: ${host}`]);
    expect(seenIn(answer)).toMatchObject({ name, url: path });
  });

  it.each(['/../etc/passwd', '/app/../../x', '/app%00', '/%', '/%zz'])('never is %s', async (path) => {
    const answer = await rawRequest(trial, host, [`GET ${path} HTTP/1.1`, `Host: ${host}`]);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).not.toContain('"name"');
  });

  it('keeps a path with a last slash and the same without one service', async () => {
    const { rejected } = await expose(trial, host, await backend('again'), { pathLocation: '/app/' });
    expect(rejected).toMatch(/already reached by the same domain and path/);
    expect((await seen(host, '/app/')).name).toBe('app');
  });

  it('says that nothing is there where no service is', async () => {
    await expose(trial, 'hole.example.test', await backend('hole'), { pathLocation: '/only' });
    expect((await visit(trial, 'hole.example.test', { path: '/' })).status).toBe(404);
    expect((await visit(trial, 'hole.example.test', { path: '/onlyx' })).status).toBe(404);
    expect((await seen('hole.example.test', '/only/x')).name).toBe('hole');
  });
});

describe('the host of a request', () => {
  it.each([host, `${host}:${PORTS.https}`, `${host}:1`, `${host}.`, host.toUpperCase(), `Paths.Example.Test.:443`])(
    'is the domain when it is written %s',
    async (written) => {
      const answer = await rawRequest(trial, host, ['GET /who HTTP/1.1', `Host: ${written}`]);
      expect(seenIn(answer)).toMatchObject({ name: 'root', url: '/who' });
      expect(seenIn(answer).host).toMatch(new RegExp(`^${host}(:\\d+)?$`));
    },
  );

  it.each(['127.0.0.1', '[::1]', `[::1]:${PORTS.https}`, 'unknown.example.test', `sub.${host}`, 'example.test'])(
    'is none of a domain when it is %s, and reaches the services without one',
    async (written) => {
      const bare = await rawRequest(trial, host, ['GET /bare HTTP/1.1', `Host: ${written}`]);
      expect(bare).toMatch(/^HTTP\/1\.1 404 /);
      const { value } = await save(trial, async (tx) =>
        tx.httpServices.create(serviceRow(await backend('bare'), { pathLocation: '/bare' })),
      );
      const answer = await rawRequest(trial, host, ['GET /bare/x HTTP/1.1', `Host: ${written}`]);
      expect(seenIn(answer)).toMatchObject({ name: 'bare', url: '/bare/x' });
      // The services of a domain stay with it.
      expect((await visit(trial, host, { path: '/bare' })).body).toContain('"root"');
      await save(trial, (tx) => tx.httpServices.remove(value.id));
    },
  );

  it.each([
    ['two of them', [`Host: ${host}`, 'Host: evil.test']],
    ['none', []],
    ['one that is no host', ['Host: a b']],
    ['one with a path', [`Host: ${host}/app`]],
  ])('is refused when there are %s', async (_, lines) => {
    const answer = await rawRequest(trial, host, ['GET /app HTTP/1.1', ...lines]);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('of an absolute request line counts more than the header', async () => {
    const answer = await rawRequest(trial, host, [`GET https://${host}/app HTTP/1.1`, 'Host: evil.test']);
    expect(seenIn(answer)).toMatchObject({ name: 'app', url: '/app', host });
  });
});
