import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../testing.ts';

let directory: string;
let gateway: TestGateway;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-join-'));
});
afterEach(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true });
});

const fetched = async (path: string) => gateway.fetch(path);

it('anyone fetches the script, which a shell understands and which is whole or does nothing', async () => {
  gateway = await createTestGateway();
  const response = await fetched('/join');
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const script = await response.text();
  execFileSync('sh', ['-n'], { input: script });
  // Each step is a function but the last line, which calls them.
  const withoutEnd = script.trimEnd().split('\n').slice(0, -1).join('\n');
  expect(execFileSync('/bin/sh', ['-c', withoutEnd], { env: { PATH: '/nonexistent' } }).toString()).toBe('');
});

it.each(['gzip', 'xz'])(
  'anyone fetches the packages (%s), whole or their files alone, and nothing else',
  async (how) => {
    const [stage, packages] = [join(directory, 'stage'), join(directory, 'packages')];
    for (const path of [join(stage, 'DEBIAN'), join(stage, 'usr/bin'), packages]) mkdirSync(path, { recursive: true });
    const control = 'Package: sallyport\nVersion: 1\nArchitecture: amd64\nMaintainer: a <a@b>\nDescription: a\n';
    writeFileSync(join(stage, 'DEBIAN/control'), control);
    writeFileSync(join(stage, 'usr/bin/sallyport'), '#!/bin/sh\n');
    const file = join(packages, 'sallyport_1_amd64.deb');
    execFileSync('dpkg-deb', ['--root-owner-group', `-Z${how}`, '--build', stage, file]);
    writeFileSync(join(packages, 'other'), 'secret');
    gateway = await createTestGateway({ packageDirectory: packages });

    const whole = await fetched('/join/sallyport_amd64.deb');
    expect(Buffer.from(await whole.arrayBuffer()).equals(readFileSync(file))).toBe(true);
    // The host is told how much it fetches, and fetches no version that it has.
    expect(await (await fetched('/join')).text()).toContain("\n    amd64) version='1' size='1 MB' ;;\n    *) ;;\n");
    const files = await fetched('/join/sallyport_amd64.tar');
    const archive = Buffer.from(await files.arrayBuffer());
    expect(files.headers.get('content-length')).toBe(String(archive.length));
    const fetchedFile = join(directory, 'fetched.tar');
    writeFileSync(fetchedFile, archive);
    // As the script does: tar sees how it is compressed.
    expect(execFileSync('tar', ['-tf', fetchedFile]).toString()).toContain('./usr/bin/sallyport');
    for (const path of ['/join/sallyport_arm64.deb', '/join/other', '/join/..%2fother', '/join/sallyport_1_amd64.deb'])
      expect((await fetched(path)).status).toBe(404);
  },
);
