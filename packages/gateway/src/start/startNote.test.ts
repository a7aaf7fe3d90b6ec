import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { changesSinceStart, noteStart } from './startNote.ts';

let directory: string;
let program: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-note-'));
  program = join(directory, 'main.js');
  writeFileSync(program, 'one');
  return () => rmSync(directory, { recursive: true });
});

const note = (settings: Record<string, string>) => noteStart(directory, settings, { program, version: '1.0.0' });
const changes = (settings: Record<string, string>, holder: number | null = process.pid, version = '1.0.0') =>
  changesSinceStart(directory, settings, holder, { program, version });

it('finds nothing where all is as it was at the start', () => {
  note({ SALLYPORT_VPN_HOST: 'gw.example.test' });
  expect(changes({ SALLYPORT_VPN_HOST: 'gw.example.test' })).toEqual([]);
});

it('names the settings that are others, new or gone, and how to have them counted', () => {
  note({ SALLYPORT_VPN_HOST: 'gw.example.test', SALLYPORT_TUNNEL: 'off', SALLYPORT_VPN_PORT: '51820' });
  expect(changes({ SALLYPORT_VPN_HOST: 'other.test', SALLYPORT_TUNNEL: 'off', SALLYPORT_LOG_LEVEL: 'warn' })).toEqual([
    {
      what: 'gateway',
      state: 'failed',
      text: 'these settings changed after it started, and do not count yet: SALLYPORT_LOG_LEVEL, SALLYPORT_VPN_HOST, SALLYPORT_VPN_PORT.',
      fix: expect.stringMatching(/^Start it again: kill -TERM \d+ && npm start$/),
      command: expect.stringMatching(/^kill/),
    },
  ]);
});

it('tells a version and a build of it from another', () => {
  note({});
  expect(changes({}, process.pid, '1.1.0')).toMatchObject([
    { text: 'version 1.0.0 runs, and 1.1.0 is installed.', fix: expect.stringContaining('npm start') },
  ]);
  writeFileSync(program, 'two');
  expect(changes({})).toMatchObject([{ text: 'its program was replaced after it started.' }]);
});

it('says nothing of a gateway that left no note, or whose note cannot be read', () => {
  expect(changes({})).toEqual([]);
  note({});
  expect(changes({ SALLYPORT_TUNNEL: 'off' }, process.pid + 1)).toEqual([]);
  expect(changes({ SALLYPORT_TUNNEL: 'off' }, null)).toEqual([]);
  writeFileSync(join(directory, 'gateway.start'), 'no JSON');
  expect(changes({ SALLYPORT_TUNNEL: 'off' })).toEqual([]);
});

it('keeps nothing by which the password could be guessed', () => {
  const settings = { SALLYPORT_ADMIN_PASSWORD: 'correct horse' };
  note(settings);
  const { salt, settings: kept } = JSON.parse(readFileSync(join(directory, 'gateway.start'), 'utf8')) as {
    salt: string;
    settings: object;
  };
  expect(kept).toEqual({ SALLYPORT_ADMIN_PASSWORD: 'set' });
  expect(salt).not.toBe('');
  expect(changes({ SALLYPORT_ADMIN_PASSWORD: 'another horse' })).toEqual([]);
});

it('keeps no setting itself, in a file for its own account alone', () => {
  note({ SALLYPORT_ADMIN_PASSWORD: 'correct horse' });
  const file = join(directory, 'gateway.start');
  expect(readFileSync(file, 'utf8')).not.toContain('correct horse');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const first = readFileSync(file, 'utf8');
  note({ SALLYPORT_ADMIN_PASSWORD: 'correct horse' });
  expect(readFileSync(file, 'utf8')).not.toBe(first);
});
