import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_ADMIN } from '@sallyport/gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startInTerminal, startPiped } from './testing/process.ts';
import { type SelfSigned, selfSigned } from './testing/selfSigned.ts';
import { serve } from './testing/serve.ts';
import { servedGateway } from './testing/servedGateway.ts';
import { ADMIN_ENV } from './testing/shell.ts';
import { testHost } from './testing/testHost.ts';

const LINE = '2026-11-21T12:00:00.123Z INFO 198.51.100.7 "GET / HTTP/1.1" 200 512 3ms 127.0.0.1:8080';

let at: Awaited<ReturnType<typeof servedGateway>>;
let certificate: SelfSigned;
let other: SelfSigned;
beforeAll(async () => {
  at = await servedGateway((folder) => {
    other = selfSigned(folder, 'other');
    return (certificate = selfSigned(folder));
  });
});
afterAll(() => at.close());
beforeEach(() => void (at.requests.length = 0));

const login = ['login', '--operator'];
const environment = (directory: string) => ({ SALLYPORT_CONFIG_DIR: directory, SALLYPORT_URL: at.url });

describe('a gateway whose certificate this machine does not trust', () => {
  it('is shown by its fingerprint before anything is asked, and trusted from then on after a yes', async () => {
    const directory = at.newFolder();
    const run = startInTerminal(login, environment(directory));
    await run.until(/Trust this certificate from now on\? \[y\/N\]: /);
    expect(run.out()).toContain(certificate.fingerprint);
    expect(run.out()).not.toContain('User name');
    expect(at.requests).toEqual([]);
    run.child.stdin.write('y\r');
    await run.until(/User name: /);
    run.child.stdin.write(`${TEST_ADMIN.username}\r`);
    await run.until(/Password: /);
    run.child.stdin.write(`${TEST_ADMIN.password}\r`);
    const { code, out } = await run.ended;
    expect(code).toBe(0);
    expect(out).not.toContain(TEST_ADMIN.password);
    expect((await startPiped(['node', 'list'], environment(directory)).ended).code).toBe(0);

    // Another certificate at this address, where neither the token nor the password may go.
    const heard: string[] = [];
    const stranger = await serve((request) => {
      heard.push(request.url);
      return at.gateway.fetch(request);
    }, other);
    try {
      const file = join(directory, 'config.json');
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(at.url, stranger.url));
      const moved = { SALLYPORT_CONFIG_DIR: directory, SALLYPORT_URL: stranger.url };
      const changed = await startPiped(['node', 'list'], moved).ended;
      expect(changed.code).toBe(6);
      expect(changed.err).toContain('Its certificate is not the one that was pinned');
      expect((await startPiped(login, { ...moved, ...ADMIN_ENV }).ended).code).toBe(6);
      expect(heard).toEqual([]);
    } finally {
      await stranger.close();
    }
  });

  it.each([
    ['no', '\r', 6],
    ['Ctrl+C', '\x03', 130],
  ])('is not trusted after %s: nothing is asked, sent or kept', async (_, key, code) => {
    const directory = at.newFolder();
    const run = startInTerminal(login, environment(directory));
    await run.until(/Trust this certificate/);
    run.child.stdin.write(key);
    const ended = await run.ended;
    expect(ended.code).toBe(code);
    expect(ended.out).not.toContain('User name');
    expect(at.requests).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is not trusted when it shows another one by the time of the yes: nothing is asked, sent or kept', async () => {
    const directory = at.newFolder();
    const heard: string[] = [];
    const gateway = await serve((request) => {
      heard.push(request.url);
      return at.gateway.fetch(request);
    }, certificate);
    onTestFinished(gateway.close);
    const run = startInTerminal(login, { SALLYPORT_CONFIG_DIR: directory, SALLYPORT_URL: gateway.url });
    await run.until(/Trust this certificate/);
    gateway.show(other);
    run.child.stdin.write('y\r');
    const { code, out } = await run.ended;
    expect(code).toBe(6);
    expect(out).not.toContain('User name');
    expect(heard).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is told to a script with its fingerprint: 6; with --pin it is trusted, for calls and for streams', async () => {
    const env = { ...environment(at.newFolder()), ...ADMIN_ENV };
    const { code, err } = await startPiped(login, env).ended;
    expect(code).toBe(6);
    expect(err).toContain(certificate.fingerprint);
    expect(err).toContain('--pin');
    expect((await startPiped([...login, '--pin', other.fingerprint], env).ended).code).toBe(6);
    expect(at.requests).toEqual([]);
    expect((await startPiped([...login, '--pin', certificate.fingerprint], env).ended).code).toBe(0);
    at.gateway.system.logs.push({ kind: 'http', id: at.ids.appId }, [LINE]);
    expect((await startPiped(['logs', '--service', 'App'], env).ended).out).toBe(`${LINE}\n`);
    expect((await startPiped(['logout'], env).ended).code).toBe(0);
  });
});

it('keeps a host the node that it is where another address has the key that it trusts, and no other', async () => {
  const host = await testHost();
  const { edgeId } = await host.gateway.seed();
  const serving = async (shown: SelfSigned) => {
    const server = await serve((request) => host.gateway.fetch(request), shown);
    onTestFinished(server.close);
    return server.url;
  };
  const former = await serving(certificate);
  const first = ['connect', '--url', former, '--pin', certificate.fingerprint, '--token-stdin'];
  expect((await host.run(first, { input: await host.newToken(edgeId) })).code).toBe(0);
  const joined = host.stored();
  const later = await serving(certificate);
  expect(await host.run(['connect', '--url', later])).toMatchObject({
    code: 0,
    err: 'Node "edge" is connected already.\n',
  });
  expect(host.stored()).toEqual({ ...joined, url: later, otherUrl: former });
  const stranger = await serving(other);
  host.answer = fetch;
  expect((await host.run(['connect', '--url', stranger])).code).toBe(6);
  expect(host.stored()).toEqual({ ...joined, url: later, otherUrl: former });
});
