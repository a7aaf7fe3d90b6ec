import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ingressDirectories, ownDirectory } from '../../machine/dataDirectory.ts';
import type { Generations } from './generations.ts';
import type { IngressLayout } from './ingress.ts';

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
