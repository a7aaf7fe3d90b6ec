import { once } from 'node:events';
import path from 'node:path';
import type { GatewayOptions, GatewayProcess } from './gateway.ts';

const ANSWER_LIMIT_MS = 20_000;

/** How a gateway is started whose memory will be asked for. */
export const WITH_MEMORY: GatewayOptions = {
  ipc: true,
  // What the C library keeps of freed memory goes up and down by a tenth from one look to the next; it shall keep little.
  env: { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '65536', MALLOC_MMAP_THRESHOLD_: '65536' },
  nodeArguments: ['--expose-gc', '--import', path.join(import.meta.dirname, 'answerMemory.ts')],
};

/** The resident bytes of a gateway once everything is collected. */
export async function gatewayMemory(gateway: GatewayProcess): Promise<number> {
  const child = gateway.child();
  const answer = once(child, 'message', { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  child.send('memory');
  const [bytes]: unknown[] = await answer;
  return Number(bytes);
}

/** `71.3 MB`. */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
