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
  /** True when the disk took no more. */
  disk?: true;
};

/** What is said of a disk that takes no more. */
export const DISK_IS_FULL = 'The disk of the data directory is full';

const FULL_DISK = /\((?:28|122): /;

/** Whether the disk took no more, by the machine's word or by nginx's own. */
export const isDiskFault = ({ disk, message }: Fault): boolean => disk === true || FULL_DISK.test(message);

// Only these end an attempt. Alerts and critical lines also come from what visitors do. At the beginning of a line: what
// a visitor asked for may be quoted further on in one.
const EMERGENCY = /^(?:nginx: |\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d )?\[emerg\]\s*(?:\d+#\d+:\s*)?(.*)$/;
const LAST_ATTEMPT = 'still could not bind()';
// A socket that is given up and has lost its name already; nothing fails by that.
const HARMLESS = /^unlink\(\) /;
const PLACE = /^(.*) in (\/.*|[^\s:]+):(\d+)$/;
const ADDRESS =
  /^(?:bind\(\) to|listen\(\) to|socket\(\)|setsockopt\([^)]*\)(?: for)?) (unix:\/.*?|\[[^\]]+\]:\d+|[\d.]+:\d+)(?:,| failed| \()/;
const NAMED_PATH = /"(\/[^"]+)"/;
// 28 no space, 30 read-only, 122 quota, 23 and 24 no descriptors left, 12 no memory, 5 input or output error.
const ENVIRONMENT = /\((?:28|30|122|23|24|12|5): [^)]*\)/;

/**
 * Reads the faults out of what nginx wrote to standard error or to its error log.
 * @param roots directories that lead to the generation (its own and `current`), to make file names relative
 */
export function parseNginxFaults(text: string, roots: readonly string[]): Fault[] {
  const faults = new Map<string, Fault>();
  for (const line of text.split('\n')) {
    const words = EMERGENCY.exec(line)?.[1]?.trim();
    if (words === undefined || words === '' || words === LAST_ATTEMPT || HARMLESS.test(words)) continue;
    // An address is tried several times; it is one fault.
    if (!faults.has(words)) faults.set(words, readFault(words, roots));
  }
  return [...faults.values()];
}

/**
 * Whether nginx, after these words, may still come to serve the configuration: it tries for two and a half seconds to
 * get an address that is in use.
 */
export function isStillTrying(text: string, faults: readonly Fault[]): boolean {
  const onlyInUse = faults.every((fault) => fault.address !== undefined && fault.message.includes('(98: '));
  return onlyInUse && !text.includes(LAST_ATTEMPT);
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
