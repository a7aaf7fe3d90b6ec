import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startInTerminal, startPiped } from './testing/process.ts';
import { selfSigned } from './testing/selfSigned.ts';
import { listen } from './testing/serve.ts';

const TOKEN = 'spn_0123456789abcdefghijklmnop';
const URL_OF_GATEWAY = 'https://gateway.example.test:9443';
const MAY_MOUNT = spawnSync('unshare', ['--mount', 'true']).status === 0;
if (!MAY_MOUNT) process.stderr.write('skipped: only root can have a full disk, and not in every container\n');

let base: string;
let file: string;
const env = () => ({ SALLYPORT_CONFIG: file, SALLYPORT_URL: URL_OF_GATEWAY });
const stored = () => JSON.parse(readFileSync(file, 'utf8'));

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-host-'));
});
afterAll(() => rmSync(base, { recursive: true }));
beforeEach(() => {
  file = join(mkdtempSync(join(base, 'etc-')), 'sallyport', 'config.json');
});

describe('the configuration of a host', () => {
  it('sends nothing to a gateway with another certificate than the one it joined: 6', async () => {
    const requests: string[] = [];
    const other = await listen(
      ({ url }, response) => {
        requests.push(url ?? '');
        response.end();
      },
      selfSigned(base, 'other'),
    );
    const joined = { SALLYPORT_CONFIG: file, SALLYPORT_URL: other.url };
    try {
      const pin = 'AB'.repeat(32);
      const first = startPiped(['config', '--token-stdin', '--pin', pin], joined);
      first.child.stdin.end(TOKEN);
      expect((await first.ended).code).toBe(0);
      for (const argv of [['http', 'web', '--port', '80'], ['connect'], ['regenerate', '--force']]) {
        if (argv[0] !== 'http' && process.getuid?.() !== 0) continue;
        const { code, err } = await startPiped(argv, { SALLYPORT_CONFIG: file }).ended;
        expect({ code, err }).toEqual({
          code: 6,
          err: expect.stringContaining('Its certificate is not the one that was pinned'),
        });
      }
      expect(requests).toEqual([]);
      expect(stored()).toMatchObject({ token: TOKEN, pin });
    } finally {
      await other.close();
    }
  });

  it.runIf(MAY_MOUNT)(
    'leaves the old configuration whole on a full disk, and has no token renewed that it could not keep: 1',
    async () => {
      const disk = mkdtempSync(join(base, 'disk-'));
      const requests: string[] = [];
      const gateway = await listen(({ url }, response) => {
        requests.push(url ?? '');
        response.writeHead(500).end();
      });
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'sallyport-test', disk]);
      try {
        file = join(disk, 'config.json');
        const first = startPiped(['config', '--token-stdin'], { ...env(), SALLYPORT_URL: gateway.url });
        first.child.stdin.end(TOKEN);
        expect((await first.ended).code).toBe(0);
        const before = readFileSync(file, 'utf8');
        expect(() =>
          execFileSync('dd', ['if=/dev/zero', `of=${join(disk, 'fill')}`, 'bs=4k'], { stdio: 'ignore' }),
        ).toThrow(/dd/);
        for (const argv of [
          ['config', '--token-stdin'],
          ['regenerate', '--force'],
        ]) {
          const second = startPiped(argv, env());
          second.child.stdin.end(`${TOKEN}other`);
          expect(await second.ended).toMatchObject({
            code: 1,
            out: '',
            err: expect.stringMatching(
              /^sallyport: [^\n]+ the disk is full\. Free some space and run the command again\.\n$/,
            ),
          });
          expect(readFileSync(file, 'utf8')).toBe(before);
          expect(readdirSync(disk).toSorted()).toEqual(['config.json', 'fill']);
        }
        expect(requests).toEqual([]);
        // Where there is room again, the same command goes on to the gateway with the token that was kept.
        rmSync(join(disk, 'fill'));
        expect((await startPiped(['regenerate', '--force'], env()).ended).code).toBe(1);
        expect(requests).toEqual(['/api/cli/regenerate']);
        expect(readFileSync(file, 'utf8')).toBe(before);
      } finally {
        execFileSync('umount', [disk]);
        await gateway.close();
      }
    },
  );
});

it('has the name of the program, not of a thread of Node', async () => {
  const { child, until, ended } = startPiped(['status', '--watch'], env());
  await until(/This host is not a node/);
  expect(readFileSync(`/proc/${child.pid}/comm`, 'utf8')).toBe('sallyport\n');
  child.kill('SIGTERM');
  await ended;
});

it('shows a status that moves until q', async () => {
  const run = startInTerminal(['status', '--watch'], env());
  await run.until(/This host is not a node of a gateway\.[\s\S]*q quits/);
  run.child.stdin.write('q');
  expect((await run.ended).code).toBe(0);
});
