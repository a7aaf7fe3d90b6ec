import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInTerminal, startPiped } from './testing/process.ts';
import { servedGateway } from './testing/servedGateway.ts';

let at: Awaited<ReturnType<typeof servedGateway>>;
let env: Record<string, string>;
beforeAll(async () => {
  at = await servedGateway();
  env = await at.signIn();
});
afterAll(() => at.close());

const run = (argv: readonly string[], more: Record<string, string> = {}) => startPiped(argv, { ...env, ...more }).ended;

describe('top', () => {
  it('draws at once, shows what changes, and ends with q', async () => {
    const top = startInTerminal(['top'], env);
    await top.until(/Connecting/);
    await top.until(/Live/);
    await top.until(/Nodes {2}0 of 2 connected/);
    await top.until(/Wiki/);
    at.gateway.world.setNodeRuntime(2, { status: 'online' });
    await top.until(/Nodes {2}1 of 2 connected/);
    top.child.stdin.write('q');
    expect((await top.ended).code).toBe(0);
  });
});

describe('doctor', () => {
  it('finds what fails, says what fixes it, and packs it without secrets', async () => {
    const bundle = join(at.folder, 'bundle.tar.gz');
    const { code, out, err } = await run(['doctor', '--bundle', bundle]);
    expect(code).toBe(1);
    for (const step of ['dns', 'port', 'certificate', 'gateway', 'token']) {
      expect(out).toMatch(new RegExp(`^${step}\tok\t`, 'm'));
    }
    expect(out).toMatch(/^backend\tfailed\t[^\n]*Wiki[^\n]*\tsallyport service show \d+$/m);
    expect(err).toContain('Not well: ');
    const names = execFileSync('tar', ['-tzf', bundle], { encoding: 'utf8' }).trim().split('\n').toSorted();
    expect(names).toContain('findings.json');
    expect(names).toContain('nodes.json');
    const content = execFileSync('tar', ['-xzOf', bundle], { encoding: 'utf8' });
    expect(content).not.toMatch(/sps_|privateKey": "(?!\[redacted\])/);
  });

  it('tells of parts of the gateway that do not run, with what turns them on', async () => {
    const parts = async () => /^parts\t.*$/m.exec((await run(['doctor'])).out)?.[0];
    expect(await parts()).toBe('parts\tok\tevery part of the gateway runs\t');
    const off = {
      feature: 'visitorSignIn' as const,
      reason: 'No identity provider is set up.',
      fix: 'Set SALLYPORT_OIDC_ISSUER.',
    };
    at.gateway.world.setUnavailable([off]);
    expect(await parts()).toMatch(
      /^parts\tskipped\t[^\t]+: No identity provider is set up\.?\tSet SALLYPORT_OIDC_ISSUER\.?$/i,
    );
    at.gateway.world.setUnavailable([]);
  });

  it('says when the gateway was last backed up, and warns when that is long ago', async () => {
    const backup = async () => /^backup\t.*$/m.exec((await run(['doctor'])).out)?.[0];
    expect(await backup()).toBe('backup\tok\tnone was made with sallyport-gateway backup\t');
    const last = { at: new Date(Date.now() - 9 * 86_400_000).toISOString(), file: '/mnt/gateway.backup', isOld: true };
    at.gateway.world.setLastBackup(last);
    expect(await backup()).toBe(
      "backup\twarning\tthe last one was made 9 days ago, /mnt/gateway.backup\ton the gateway's machine: sudo sallyport-gateway backup FILE",
    );
    at.gateway.world.setLastBackup({ ...last, isOld: false });
    expect(await backup()).toMatch(/^backup\tok\t/);
    at.gateway.world.setLastBackup(null);
  });

  it.each([
    ['no one listens', 'http://127.0.0.1:1', 6, /^port\tfailed\t/m],
    ['no one is signed in', '', 4, /^token\tfailed\tno one is signed in\tsallyport login --operator/m],
  ])('ends at the first step that fails: %s', async (_, url, code, line) => {
    const more = { SALLYPORT_CONFIG_DIR: at.newFolder(), SALLYPORT_URL: url || at.url };
    const ended = await run(['doctor'], more);
    expect(ended.out).toMatch(line);
    expect(ended.code).toBe(code);
  });
});

describe('open', () => {
  it('prints the address, and hands it to the browser where there is one', async () => {
    const folder = join(at.folder, 'programs');
    mkdirSync(folder);
    const opener = join(folder, 'xdg-open');
    writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > '${at.folder}/opened'\n`);
    chmodSync(opener, 0o755);
    expect((await run(['open'])).out).toBe(`${at.url}/\n`);
    expect(readdirSync(at.folder)).not.toContain('opened');
    const desktop = { DISPLAY: ':0', PATH: `${folder}:${process.env['PATH']}` };
    const shown = await startInTerminal(['open', 'App'], { ...env, ...desktop }).ended;
    expect(shown.code).toBe(0);
    expect(shown.out).toContain('https://app.example.test/');
    const opened = () => (existsSync(join(at.folder, 'opened')) ? readFileSync(join(at.folder, 'opened'), 'utf8') : '');
    await expect.poll(opened).toMatch(/^https:\/\/app\.example\.test\//);
  });
});
