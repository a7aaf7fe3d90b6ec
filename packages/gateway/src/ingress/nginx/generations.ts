import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import type { ConfigFile, IngressLayout } from './ingress.ts';
import { ingressDirectories, ownDirectory } from '../../machine/dataDirectory.ts';

export const MAIN_FILE = 'nginx.conf';

/**
 * The numbered directories of configuration and the link to the current one.
 *
 * Nothing here is synced to disk: after a power loss no nginx runs, and start-up writes a new generation from the
 * database before it starts one.
 */
export type Generations = {
  /** The highest number that is known here, 0 when none is. */
  highest(): number;
  /** Writes a generation and returns its directory. `name` is its number, or a word for one that is only tested. */
  write(name: number | string, files: ConfigFile[]): Promise<string>;
  remove(name: number | string): Promise<void>;
  /** Points the link at a generation, or removes it, in one step. */
  point(to: number | null): Promise<void>;
  /** Where the link points, whether or not that directory is there. */
  current(): number | null;
  /** One file of a generation, if it has it. */
  file(of: number, path: string): string | undefined;
  /** The texts of a generation; null when it is not there any more. */
  texts(of: number): string[] | null;
  /** Removes all but these. */
  keep(numbers: readonly number[]): Promise<void>;
};

export function openGenerations(
  layout: Pick<IngressLayout, 'generations' | 'current' | 'generationMark'>,
): Generations {
  const root = layout.generations;
  const remove = (name: number | string): Promise<void> =>
    rm(join(root, String(name)), { recursive: true, force: true });

  const current = (): number | null => {
    try {
      return readNumber(basename(readlinkSync(layout.current)));
    } catch {
      return null;
    }
  };

  return {
    current,
    remove,
    highest: () => Math.max(0, current() ?? 0, ...listNames(root).map((name) => readNumber(name) ?? 0)),
    write: async (name, files) => {
      const directory = join(root, String(name));
      checkFiles(files);
      await remove(name);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const below = new Set(files.map(({ path }) => dirname(path)));
      for (const inner of below) mkdirSync(join(directory, inner), { recursive: true });
      // Each waits for the disk's memory alone, a few hundredths of a millisecond: a turn of the loop for each is longer.
      for (const { path, text } of files) {
        writeFileSync(join(directory, path), text.replaceAll(layout.generationMark, String(name)), { mode: 0o600 });
      }
      return directory;
    },
    point: async (to) => {
      if (to === null) return rm(layout.current, { recursive: true, force: true });
      const next = `${layout.current}.next`;
      await rm(next, { recursive: true, force: true });
      await symlink(join(basename(root), String(to)), next);
      try {
        await rename(next, layout.current);
      } catch {
        // Something that is not a link took its place. A rename cannot replace a directory, so that goes first.
        await rm(layout.current, { recursive: true, force: true });
        await rename(next, layout.current);
      }
    },
    file: (of, path) => {
      try {
        return readFileSync(join(root, String(of), path), 'utf8');
      } catch {
        return undefined;
      }
    },
    texts: (of) => {
      try {
        const directory = join(root, String(of));
        const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
        const files = entries.filter((entry) => entry.isFile());
        return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
      } catch {
        return null;
      }
    },
    keep: async (numbers) => {
      const kept = new Set(numbers.map(String));
      for (const name of listNames(root)) if (!kept.has(name)) await remove(name);
    },
  };
}

function listNames(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}

function readNumber(name: string): number | null {
  return /^\d{1,15}$/.test(name) ? Number(name) : null;
}

/** A path that leads out of the generation is a mistake of the program, never of an administrator. */
function checkFiles(files: ConfigFile[]): void {
  for (const { path } of files) {
    if (path === '' || isAbsolute(path) || normalize(path) !== path || path.startsWith('..')) {
      throw new TypeError(`The configuration file's path ${JSON.stringify(path)} leads out of its generation.`);
    }
  }
  if (!files.some(({ path }) => path === MAIN_FILE)) throw new TypeError(`A configuration needs a ${MAIN_FILE}.`);
}

/** What nginx lives on, and whether it is as it was left. */
export type IngressFiles = {
  /** Makes directories that are gone, and gives them their owner and mode back. */
  repair(): void;
  /** Remembers how the files of the generation that is served look now. */
  remember(generation: number): void;
  /** Forgets them: nothing is served that could be damaged. */
  forget(): void;
  intact(): boolean;
};

/** Where a socket or a log is gone that a running nginx still holds without its name. */
export const isMissing = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) === undefined;

export function openIngressFiles(layout: IngressLayout, generations: Generations): IngressFiles {
  const directories = ingressDirectories(layout.directory, layout.workerUser);
  const named = [layout.statusSocket, layout.gatewaySocket, layout.accessLog, layout.errorLog];
  let remembered: { generation: number; looks: ReadonlyMap<string, string>; open: Set<string> } | null = null;

  const isRight = ({ path, mode, group }: (typeof directories)[number]): boolean => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat?.isDirectory() === true && (stat.mode & 0o7777) === mode && (group === null || isOf(stat, group));
  };

  return {
    repair: () => {
      for (const directory of directories.filter((each) => !isRight(each))) ownDirectory(directory);
    },
    remember: (generation) => {
      const open = new Set(named.filter((file) => !isMissing(file)));
      remembered = { generation, looks: looksOf(join(layout.generations, String(generation))), open };
    },
    forget: () => {
      remembered = null;
    },
    intact: () => {
      if (remembered === null) return true;
      if (!directories.every(isRight) || generations.current() !== remembered.generation) return false;
      for (const file of named) {
        // The gateway's own socket is made again after the generation.
        if (!isMissing(file)) remembered.open.add(file);
        else if (remembered.open.has(file)) return false;
      }
      const looks = looksOf(join(layout.generations, String(remembered.generation)));
      return (
        looks.size === remembered.looks.size && [...remembered.looks].every(([file, look]) => looks.get(file) === look)
      );
    },
  };
}

const isOf = (stat: { uid: number; gid: number }, group: number): boolean => stat.uid === 0 && stat.gid === group;

/** How each file of a directory looks from outside; any write to one, or another one in its place, shows. */
function looksOf(directory: string): Map<string, string> {
  const looks = new Map<string, string>();
  try {
    for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) continue;
      const file = join(entry.parentPath, entry.name);
      const { ino, size, mtimeMs } = statSync(file);
      looks.set(file, `${ino} ${size} ${mtimeMs}`);
    }
  } catch {
    // A directory or file that is gone is a look that differs.
  }
  return looks;
}
