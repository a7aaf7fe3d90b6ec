import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from './host.ts';
import { type HostStatus, statusOf } from './status.ts';

const POLL_MS = 2000;

/** The status now, and whenever it differs from the one before, until `signal` aborts. */
export async function* changingStatus(host: Host, now: () => Date, signal: AbortSignal): AsyncGenerator<HostStatus> {
  let last = '';
  while (!signal.aborted) {
    const found = await statusOf(host, now, signal);
    const text = JSON.stringify(found);
    if (text !== last) yield found;
    last = text;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
