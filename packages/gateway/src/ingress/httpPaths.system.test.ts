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
/** With so many that nginx has one location for each, and a pattern for what is outside all of them. */
const crowded = 'crowded.example.test';
const CROWD = ['/app-2', '/app.x', '/apple/pie', '/a', '/ap_', '/other/deep', '/z', '/zz', '/~me'];

beforeAll(async () => {
  trial = await openReconcileTrial();
  const [root, app, deep] = [await backend('root'), await backend('app'), await backend('deep')];
  for (const domain of [host, crowded]) {
    await expose(trial, domain, root);
    await expose(trial, domain, app, { pathLocation: '/app' });
    await expose(trial, domain, deep, { pathLocation: '/app/deep/' });
  }
  for (const pathLocation of CROWD) await expose(trial, crowded, await backend(pathLocation), { pathLocation });
});
afterAll(async () => {
  await trial.close();
  await Promise.all(stops.map((stop) => stop()));
});

const LONGEST = [
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
  ['/app%0A', 'root'],
  ['/app/%0A', 'app'],
];

describe('the path of a service', () => {
  // A client of Node would tidy some of them up.
  const asked = async (domain: string, path: string): Promise<Seen> =>
    seenIn(await rawRequest(trial, domain, [`GET ${path} HTTP/1.1`, `Host: ${domain}`]));

  it.each(LONGEST)('fits %s to the longest one, and passes it on as it was asked', async (path, name) => {
    expect(await asked(host, path)).toMatchObject({ name, url: path });
  });

  it.each([
    ...LONGEST,
    ...CROWD.flatMap((path) => [path, `${path}/`, `${path}/x?y`].map((below) => [below, path])),
    ...CROWD.flatMap((path) => [`${path}!`, `${path}%0A`, `${path}x/`].map((neighbour) => [neighbour, 'root'])),
    ['/app_x', 'root'],
  ])('fits %s to the longest of many, too', async (path, name) => {
    expect(await asked(crowded, path ?? '')).toMatchObject({ name, url: path });
  });

  it('goes on fitting when one of many goes', async () => {
    const domain = 'going.example.test';
    const saved = await Promise.all(
      CROWD.map(async (pathLocation) => expose(trial, domain, await backend(pathLocation), { pathLocation })),
    );
    expect((await visit(trial, domain)).status).toBe(404);
    expect((await visit(trial, domain, { path: '/zzz' })).status).toBe(404);
    const [gone] = saved;
    if (gone === undefined) throw new Error('nothing was saved');
    await save(trial, (tx) => tx.httpServices.remove(gone.value.id));
    await save(trial, (tx) => tx.httpServices.remove(saved[1]?.value.id ?? 0));
    for (const path of CROWD.slice(0, 2)) expect((await visit(trial, domain, { path })).status).toBe(404);
    for (const path of CROWD.slice(2)) expect((await seen(domain, `${path}/x`)).name).toBe(path);
    expect((await visit(trial, domain, { path: '/zzz' })).status).toBe(404);
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

  const OWN = [
    'gateway.test',
    'gateway.test.',
    'Alias.Example.Test',
    'machine.test',
    'localhost',
    'sub.localhost',
    'localhost.localdomain',
  ];
  const ADDRESSES = ['127.0.0.1', '203.0.113.9', '[::1]', `[2001:db8::1]:${PORTS.https}`];

  it.each([...OWN, ...ADDRESSES])(
    'is one of the gateway itself when it is %s, and reaches the services without a domain',
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

  it.each(['unknown.example.test', `sub.${host}`, 'example.test', 'gateway.test.evil.test', '127.0.0.1.evil.test'])(
    'is nobody’s when it is %s, and reaches nothing',
    async (written) => {
      const row = serviceRow(await backend('bare'), { pathLocation: '/' });
      const { value } = await save(trial, async (tx) => tx.httpServices.create(row));
      for (const path of ['/', '/.well-known/x']) {
        const answer = await rawRequest(trial, host, [`GET ${path} HTTP/1.1`, `Host: ${written}`]);
        expect(answer).toMatch(/^HTTP\/1\.1 421 /);
        // It tells nothing of what is here, nor of what was asked for.
        expect(answer).not.toMatch(/bare|evil|gateway\.test/);
      }
      await save(trial, (tx) => tx.httpServices.remove(value.id));
    },
  );

  it('is none in HTTP/1.0, which reaches the services without a domain', async () => {
    const row = serviceRow(await backend('bare'), { pathLocation: '/' });
    const { value } = await save(trial, async (tx) => tx.httpServices.create(row));
    expect(seenIn(await rawRequest(trial, 'gateway.test', ['GET /x HTTP/1.0']))).toMatchObject({ name: 'bare' });
    await save(trial, (tx) => tx.httpServices.remove(value.id));
  });

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
