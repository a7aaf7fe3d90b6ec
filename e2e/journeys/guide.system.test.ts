import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayCommand } from '../../scripts/gatewayCommand.mjs';
import { startGateway, type GatewayProcess } from '../support/gateway.ts';
import { BY_HAND, ELSEWHERE } from '../support/guideCommands.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const execute = promisify(execFile);
/** A command in a sentence, by what it begins with. */
const INLINE = /`((?:sudo|docker compose|systemctl|rm|age|npm run) [^`]+)`/g;
/** A backup to a passphrase takes long on purpose. */
const RUN_MAX_MS = 120_000;

/** What is run here, in this order, and what it has to print. `with` puts what there is into the places of what the page names. */
const RUN: readonly { command: string; with?: Record<string, string>; shows: RegExp }[] = [
  { command: 'sallyport-gateway version', shows: /^\d+\.\d+\.\d+$/m },
  { command: 'sudo sallyport-gateway check', shows: /^ok +data .*the gateway of process \d+ is using it$/m },
  {
    command: 'curl --silent http://127.0.0.1:3000/healthz',
    with: { 'http://127.0.0.1:3000': '$API' },
    shows: /"status":"ok"/,
  },
  {
    command: 'node /path/to/sallyport/packages/cli/dist/main.js --help',
    with: { '/path/to/sallyport': ROOT },
    shows: /^ +login +Join a gateway/m,
  },
  {
    command: 'sallyport login --operator --url http://127.0.0.1:3000 --username admin',
    with: { 'http://127.0.0.1:3000': '$API' },
    shows: /^Signed in to http/m,
  },
  {
    command: 'sallyport login --operator --url http://127.0.0.1:3000',
    with: { 'http://127.0.0.1:3000': '$API' },
    shows: /^Signed in to http/m,
  },
  {
    command: 'sallyport login --operator --url https://gateway.example.com:9443',
    with: { 'https://gateway.example.com:9443': '$CONSOLE --pin $PIN' },
    shows: /^Signed in to https/m,
  },
  { command: 'sallyport node list', shows: /Local/ },
  {
    command: "sallyport join-key create racks --reusable --name-pattern 'web-*' --expire-at 2027-01-31 --output code",
    with: { '2027-01-31': '$NEXT_YEAR' },
    shows: /join \| sudo sh$[^]*to code\./m,
  },
  {
    command: 'sudo sallyport-gateway import caddyfile /etc/caddy/Caddyfile',
    with: { '/etc/caddy/Caddyfile': 'Caddyfile' },
    shows: /wiki\.example\.test/,
  },
  {
    command: 'sudo sallyport-gateway import caddyfile /etc/caddy/Caddyfile --apply',
    with: { '/etc/caddy/Caddyfile': 'Caddyfile' },
    shows: /wiki\.example\.test/,
  },
  {
    command: 'sudo sallyport-gateway backup /mnt/disk/gateway.backup',
    with: { '/mnt/disk/gateway.backup': 'gateway.backup --passphrase-file passphrase' },
    shows: /gateway\.backup/,
  },
  {
    command: 'sudo sallyport-gateway backup /root/before-update.backup',
    with: { '/root/before-update.backup': 'before-update.backup --passphrase-file passphrase' },
    shows: /before-update\.backup/,
  },
  {
    command: 'sudo sallyport-gateway restore gateway.backup',
    with: {
      'sudo ': 'SALLYPORT_DATA=$PWD/other-machine ',
      'gateway.backup': 'gateway.backup --passphrase-file passphrase --yes',
    },
    shows: /other-machine/,
  },
  {
    command: 'sallyport service edit "Sallyport console" --type http --allowed-ips 198.51.100.7,2001:db8:7::/48',
    shows: /Sallyport console/,
  },
];

/**
 * Each command of the guide's pages once, as it is written there: a line of a block, together with the lines that it goes on over,
 * and what a sentence has in one. What begins with the name of ours there may stand for several; its verbs and flags are tried elsewhere.
 */
function commandsOfGuide(): string[] {
  const commands = globSync('docs/guide/*.md', { cwd: ROOT }).flatMap((page) => {
    const whole = readFileSync(path.join(ROOT, page), 'utf8');
    const blocks = whole.matchAll(/^( *)```(sh|console)\n([^]*?)^ *```$/gm);
    const sentences = whole.replaceAll(/^ *```[^]*?^ *```$/gm, '');
    const inline = [...sentences.matchAll(INLINE)].map(([, command = '']) => command);
    const inBlocks = [...blocks].flatMap(([, indent = '', kind, text = '']) => {
      const lines = text.replaceAll(new RegExp(`^${indent}`, 'gm'), '').replaceAll(/\\\n\s*/g, '');
      // Of a session, what is typed; what follows a here-document's beginning belongs to it.
      return kind === 'sh' ? lines.split('\n') : [...lines.matchAll(/^\$ (.*)/gm)].map(([, typed = '']) => typed);
    });
    return inline.concat(inBlocks);
  });
  return [...new Set(commands.map((command) => command.trim()).filter(Boolean))].toSorted();
}

it('knows of every command of the guide where it is run, or why only by hand', () => {
  const known = [
    ...RUN.map(({ command }) => command),
    ...Object.values(ELSEWHERE).flat(),
    ...Object.values(BY_HAND).flat(),
  ];
  expect(commandsOfGuide()).toEqual(known.toSorted());
});

/** What a test does not mention of a command of ours: its verb, or a flag. */
function unmentioned(test: string, command: string): string[] {
  const text = readFileSync(path.join(ROOT, test), 'utf8');
  const [, words = ''] = /^(?:sudo )?sallyport(?:-gateway)? (.*)$/.exec(command) ?? [];
  const [verb = ''] = words.split(' ');
  const flags = words.match(/--[a-z][\w-]*/g) ?? [];
  return [verb, ...flags].filter((word) => !text.includes(word)).map((word) => `${test}: ${word} of ${command}`);
}

it('names tests for them that have their verbs and flags', () => {
  const all = Object.entries(ELSEWHERE).flatMap(([test, commands]) =>
    commands.map((command) => [test, command] as const),
  );
  expect(all.flatMap(([test, command]) => unmentioned(test, command))).toEqual([]);
});

/** The settings with which the gateway of a data directory was started, as those of its machine's file are. */
function settingsOf(data: string): Record<string, string> {
  const pid = readFileSync(path.join(data, 'gateway.pid'), 'utf8').trim();
  const settings = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return Object.fromEntries(
    settings.flatMap((line) => {
      const [, name = '', value = ''] = /^(SALLYPORT_\w+)=(.*)$/s.exec(line) ?? [];
      return name === '' ? [] : [[name, value]];
    }),
  );
}

describe('the commands of the guide, on a gateway', () => {
  let gateway: GatewayProcess;
  let folder: string;
  beforeAll(async () => {
    gateway = await startGateway({ host: '203.0.113.7' });
    folder = mkdtempSync(path.join(tmpdir(), 'sallyport-guide-'));
    const program = (name: string, command: readonly string[]) =>
      writeFileSync(path.join(folder, 'bin', name), `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`, { mode: 0o755 });
    mkdirSync(path.join(folder, 'bin'));
    program('sudo', ['env']);
    program('sallyport-gateway', gatewayCommand);
    program('sallyport', [process.execPath, path.join(ROOT, 'packages/cli/dist/main.js')]);
    writeFileSync(path.join(folder, 'passphrase'), 'correct horse battery staple\n', { mode: 0o600 });
    writeFileSync(path.join(folder, 'Caddyfile'), 'wiki.example.test {\n  reverse_proxy 127.0.0.1:8080\n}\n');
  }, RUN_MAX_MS);
  afterAll(async () => {
    await gateway?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it.each(RUN)('$command', { timeout: RUN_MAX_MS }, async ({ command, shows, with: places = {} }) => {
    const { data, apiUrl, ports, password } = gateway;
    const env = {
      PATH: `${folder}/bin:${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      SALLYPORT_CONFIG_DIR: path.join(folder, 'config'),
      ...settingsOf(data),
      SALLYPORT_USERNAME: gateway.username,
      SALLYPORT_PASSWORD: password,
      API: apiUrl,
      CONSOLE: `https://localhost:${ports.console}`,
      PIN: /SHA-256 ([0-9A-F:]{95})/.exec(gateway.output())?.[1] ?? 'none',
      NEXT_YEAR: `${new Date().getFullYear() + 1}-12-31`,
    };
    const line = Object.entries(places).reduce((text, [place, value]) => text.replace(place, () => value), command);
    const { stdout, stderr } = await execute('bash', ['-c', line], { cwd: folder, env });
    expect(stdout + stderr).toMatch(shows);
  });
});
