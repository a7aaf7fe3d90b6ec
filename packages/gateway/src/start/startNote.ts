import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { SECRETS } from '../config.ts';
import { commands } from './commands.ts';
import { type Finding, wrong } from '../admin/finding.ts';
import { putFile } from '../machine/atomicFile.ts';
import { isDiskFull } from '../machine/errorCode.ts';

// What a gateway was started with, for `sallyport-gateway check`: settings and packages change while it runs.

/** In the data directory. */
const NOTE_FILE = 'gateway.start';

const startNote = z.object({
  pid: z.number(),
  version: z.string(),
  /** The SHA-256 of the program's first file, which names all others by theirs. */
  program: z.string(),
  salt: z.string(),
  /** Of each setting by its name the SHA-256 with the salt, and of a secret only that it is set: a password could be guessed by it. */
  settings: z.record(z.string(), z.string()),
});

type Installed = { version: string; program: string };
const INSTALLED: Installed = {
  version: manifest.version,
  program: fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../main.ts' : './main.js', import.meta.url)),
};

const digest = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const digests = (settings: Record<string, string>, salt: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, SECRETS.includes(name) ? 'set' : digest(`${salt}${value}`)]),
  );

/** Notes that this process starts with these settings. On a full disk it starts without a note. */
export function noteStart(directory: string, settings: Record<string, string>, installed = INSTALLED): void {
  const salt = randomUUID();
  const note: z.infer<typeof startNote> = {
    pid: process.pid,
    version: installed.version,
    program: digest(readFileSync(installed.program)),
    salt,
    settings: digests(settings, salt),
  };
  try {
    putFile(join(directory, NOTE_FILE), `${JSON.stringify(note)}\n`);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

/**
 * What has changed since the gateway of that process started and counts from the next start on. Nothing where it left no note.
 * @param settings those that are given now
 */
export function changesSinceStart(
  directory: string,
  settings: Record<string, string>,
  pid: number | null,
  installed = INSTALLED,
): Finding[] {
  const note = readNote(join(directory, NOTE_FILE));
  if (note === null || note.pid !== pid) return [];
  const now = digests(settings, note.salt);
  const changed = [...new Set([...Object.keys(now), ...Object.keys(note.settings)])]
    .filter((name) => now[name] !== note.settings[name])
    .toSorted();
  const said = [
    note.version !== installed.version
      ? `version ${note.version} runs, and ${installed.version} is installed.`
      : note.program !== digest(readFileSync(installed.program)) && 'its program was replaced after it started.',
    changed.length > 0 && `these settings changed after it started, and do not count yet: ${changed.join(', ')}.`,
  ];
  return said
    .filter((text) => text !== false)
    .map((text) => wrong('gateway', text, 'Start it again', commands.again(pid)));
}

function readNote(file: string): z.infer<typeof startNote> | null {
  try {
    return startNote.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}
