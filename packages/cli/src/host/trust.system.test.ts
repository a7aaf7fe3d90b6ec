import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_ADMIN, createTestGateway } from '@sallyport/gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startInTerminal, startPiped } from '../testing/process.ts';
import { type SelfSigned, selfSigned } from '../testing/selfSigned.ts';
import { type Served, serve } from '../testing/serve.ts';

let folder: string;
let gateway: Awaited<ReturnType<typeof createTestGateway>>;
let server: Served;
let certificates: SelfSigned[];
let requests: string[];

const serveWith = (at: number) =>
  serve((request) => {
    requests.push(new URL(request.url).pathname);
    return gateway.fetch(request);
  }, certificates[at]);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  certificates = ['first', 'second'].map((name) => selfSigned(folder, name));
  gateway = await createTestGateway({ now: new Date() });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  requests = [];
  server = await serveWith(0);
  return () => server.close();
});

const login = ['login', '--operator'];
const environment = (directory: string) => ({ SALLYPORT_CONFIG_DIR: directory, SALLYPORT_URL: server.url });
const password = { SALLYPORT_USERNAME: TEST_ADMIN.username, SALLYPORT_PASSWORD: TEST_ADMIN.password };

describe('a gateway whose certificate nobody has signed', () => {
  it('is shown by its fingerprint before anything is asked, and trusted from then on after a yes', async () => {
    const directory = join(folder, 'trusted');
    const run = startInTerminal(login, environment(directory));
    await run.until(/Trust this certificate from now on\? \[y\/N\]: /);
    expect(run.out()).toContain(certificates[0]?.fingerprint);
    expect(run.out()).not.toContain('User name');
    expect(requests).toEqual([]);
    run.child.stdin.write('y\r');
    await run.until(/User name: /);
    run.child.stdin.write(`${TEST_ADMIN.username}\r`);
    await run.until(/Password: /);
    run.child.stdin.write(`${TEST_ADMIN.password}\r`);
    expect((await run.ended).code).toBe(0);
    expect((await startPiped(['node', 'list'], environment(directory)).ended).code).toBe(0);

    // Another certificate at the same address, where the token must not go.
    await server.close();
    const { port } = server;
    server = await serveWith(1);
    expect(server.port).not.toBe(port);
    const text = readFileSync(join(directory, 'config.json'), 'utf8');
    writeFileSync(join(directory, 'config.json'), text.replaceAll(`:${port}`, `:${server.port}`));
    requests.length = 0;
    const changed = await startPiped(['node', 'list'], environment(directory)).ended;
    expect(changed.code).toBe(6);
    expect(changed.err).toContain('Its certificate is not the one that was pinned');
    const again = await startPiped(login, { ...environment(directory), ...password }).ended;
    expect(again.code).toBe(6);
    expect(requests).toEqual([]);
  });

  it.each([
    ['no', '\r', 6],
    ['Ctrl+C', '\x03', 130],
  ])('is not trusted after %s: nothing is asked, sent or kept', async (_, key, code) => {
    const directory = join(folder, `never-${code}`);
    const run = startInTerminal(login, environment(directory));
    await run.until(/Trust this certificate/);
    run.child.stdin.write(key);
    const ended = await run.ended;
    expect(ended.code).toBe(code);
    expect(ended.out).not.toContain('User name');
    expect(requests).toEqual([]);
    expect(readdirSync(folder)).not.toContain(`never-${code}`);
  });

  it('is told to a script with its fingerprint, exit code 6; --pin trusts it', async () => {
    const env = { ...environment(join(folder, 'script')), ...password };
    const { code, err } = await startPiped(login, env).ended;
    expect(code).toBe(6);
    expect(err).toContain(certificates[0]?.fingerprint);
    expect(requests).toEqual([]);
    const pinned = await startPiped([...login, '--pin', certificates[0]?.fingerprint ?? ''], env).ended;
    expect(pinned.code).toBe(0);
    const wrong = await startPiped([...login, '--pin', certificates[1]?.fingerprint ?? ''], env).ended;
    expect(wrong.code).toBe(6);
  });
});
