import { readFileSync } from 'node:fs';

/** Of Linux's clock ticks, as /proc counts them. */
const TICK_MS = 10;
const KB_IN_MB = 1000 / 1.024;

/** The resident memory of a process, in megabytes. */
export function residentMegabytes(pid) {
  const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / KB_IN_MB;
}

/** The processor time that a process has used so far, in milliseconds, with that of its children that have ended. */
export function processorMilliseconds(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name may hold spaces and brackets; the fields begin behind its last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const times = fields.slice(11, 15).map(Number);
  return times.reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
}
