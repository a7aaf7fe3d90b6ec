import { isAbsolute, relative } from 'node:path';

/** Why nginx refused a configuration, from its own words. */
export type Fault = {
  /** nginx's words, without time, level and process. */
  message: string;
  /** The file at fault, relative to the generation's directory (as in `ConfigFile.path`); absolute when outside it. */
  file?: string;
  line?: number;
  /** The address that could not be had, as nginx writes it: `0.0.0.0:8080`, `[::]:443`, `unix:/path`. */
  address?: string;
  /** A file that the configuration names and nginx could not use, such as a certificate. */
  path?: string;
  /** True when no configuration would do: the disk is full, nginx is gone. Looking for an object at fault is no use. */
  environment?: true;
};

const GRAVE = /\[(emerg|alert|crit)\]\s*(?:\d+#\d+:\s*)?(?:\*\d+\s*)?(.*)$/;
const PLACE = /^(.*) in (\/.*|[^\s:]+):(\d+)$/;
const ADDRESS = /^(?:bind\(\) to|listen\(\) to|socket\(\)|setsockopt\([^)]*\)(?: for)?) (unix:\/.*?|\[[^\]]+\]:\d+|[\d.]+:\d+)(?:,| failed| \()/;
const NAMED_PATH = /"(\/[^"]+)"/;
// 28 no space, 30 read-only, 122 quota, 23 and 24 no descriptors left, 12 no memory, 5 input or output error.
const ENVIRONMENT = /\((?:28|30|122|23|24|12|5): [^)]*\)/;

/** True for a line that says the reason why an attempt ended or goes on failing. */
export function isGrave(line: string): boolean {
  return GRAVE.test(line);
}

/**
 * Reads the faults out of what nginx wrote to standard error or to its error log.
 * @param roots directories that lead to the generation (its own and `current`), to make file names relative
 */
export function parseNginxFaults(text: string, roots: readonly string[]): Fault[] {
  const faults = new Map<string, Fault>();
  for (const line of text.split('\n')) {
    const words = GRAVE.exec(line)?.[2]?.trim();
    // The last of nginx's attempts to bind only repeats that the ones before it failed.
    if (words === undefined || words === '' || words === 'still could not bind()') continue;
    // An address is tried several times; it is one fault.
    if (!faults.has(words)) faults.set(words, readFault(words, roots));
  }
  return [...faults.values()];
}

function readFault(words: string, roots: readonly string[]): Fault {
  const fault: Fault = { message: words };
  const place = PLACE.exec(words);
  const reason = place?.[1] ?? words;
  if (place?.[2] !== undefined) {
    fault.message = reason;
    fault.file = withinGeneration(place[2], roots);
    fault.line = Number(place[3]);
  }
  const address = ADDRESS.exec(reason)?.[1];
  if (address !== undefined) fault.address = address;
  const path = address === undefined ? NAMED_PATH.exec(reason)?.[1] : undefined;
  if (path !== undefined) fault.path = path;
  if (ENVIRONMENT.test(reason)) fault.environment = true;
  return fault;
}

function withinGeneration(file: string, roots: readonly string[]): string {
  for (const root of roots) {
    const below = relative(root, file);
    if (below !== '' && !below.startsWith('..') && !isAbsolute(below)) return below;
  }
  return file;
}
