import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openProgramTrial, type ProgramTrial } from '../testing/programTrial.ts';

const STARTS = { timeout: 240_000 };

let base: string;
let trial: ProgramTrial;
let backend: Server;
let file: string;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-caddyfile-'));
  file = join(base, 'Caddyfile');
  backend = createServer(({ url }, response) => response.end(`backend ${url}`)).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  trial = await openProgramTrial();
  await trial.start();
  await trial.signIn();
}, 120_000);
afterAll(async () => {
  await trial.close();
  backend.close();
  rmSync(base, { recursive: true });
});

const run = (...more: string[]) => trial.start({}, { args: ['import', 'caddyfile', file, ...more] });
const statesOf = ({ out }: { out: string }) =>
  (JSON.parse(out) as { outcomes: { state: string }[] }).outcomes.map(({ state }) => state);

it('has the gateway serve the sites of a Caddyfile, and opens nothing that was protected', STARTS, async () => {
  const { port } = backend.address() as AddressInfo;
  const text = `
    (proxy) {
      encode gzip
      reverse_proxy 127.0.0.1:{args[0]}
    }
    open.example.test {
      import proxy ${port}
    }
    {$NAME}.example.test {
      handle /adm/* {
        basic_auth {
          me $2a$14$hash
        }
        import proxy ${port}
      }
      handle /api/* {
        import proxy ${port}
      }
    }
    local.example.test {
      @out not remote_ip 127.0.0.0/8 ::1
      abort @out
      import proxy ${port}
    }
    far.example.test {
      @out not remote_ip 192.0.2.0/24
      abort @out
      import proxy ${port}
    }
    files.example.test {
      file_server
    }`;
  writeFileSync(file, text);
  writeFileSync(join(base, 'env'), 'NAME=parts\n');
  const environment = ['--env-file', join(base, 'env'), '--json'];

  expect(statesOf(await run(...environment))).toEqual(['new', 'new', 'new', 'new', 'new']);
  expect((await trial.call('GET', '/api/services/http?search=example.test')).body).toEqual([]);
  const applied = await run(...environment, '--apply');
  expect([applied.code, statesOf(applied)]).toEqual([0, ['made', 'made', 'made', 'made', 'made']]);
  expect(JSON.parse(applied.out)).toMatchObject({ left: [{ what: expect.stringContaining('files.example.test') }] });

  expect(await trial.visit('open.example.test', '/x')).toBe('backend /x');
  expect(await trial.visit('parts.example.test', '/api/x')).toBe('backend /api/x');
  expect(await trial.visit('local.example.test')).toBe('backend /');
  for (const [domain, path] of [
    ['parts.example.test', '/adm/x'],
    ['parts.example.test', '/ADM/x'],
    ['far.example.test', '/'],
  ] as const) {
    expect(await trial.visit(domain, path)).not.toContain('backend');
  }
  const { body } = await trial.call('GET', '/api/services/http?search=parts.example.test/adm');
  expect(body).toMatchObject([{ enabled: false, blockedIps: null }]);
  expect(statesOf(await run(...environment, '--apply'))).toEqual(['there', 'there', 'there', 'there', 'there']);
});

it('says in words what becomes of what, in which line, and so that no terminal obeys a name', STARTS, async () => {
  const long = 'x'.repeat(9_000);
  writeFileSync(
    file,
    `a\u001b[2Jb.test {\n  reverse_proxy app:80\n}\n<b>.test, \u202etset.test, ../../etc.test, ${long}.test {\n  reverse_proxy app:80\n}\nnew.example.test {\n  basic_auth {\n    me hash\n  }\n  reverse_proxy \u001b]0;title\u0007:80\n  reverse_proxy /x/* app:80\n}\n`,
  );
  const { code, out, err } = await run();
  expect(code).toBe(0);
  expect(out).toContain('new: https://new.example.test/x → http://app:80 (line 12)\n    closed: line 8: basic_auth');
  expect(out).toMatch(/^not taken in: x{400}…: it is no name of a domain$/m);
  expect(out.split('\n').filter((line) => line.includes('is no name of a domain'))).toHaveLength(4);
  expect(out).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
  expect(err).toContain('Nothing was changed.');
  writeFileSync(file, 'a.test {\n  handle {\n');
  expect(await run()).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/^The Caddyfile cannot be read: line 2: .*\n$/),
  });
});
