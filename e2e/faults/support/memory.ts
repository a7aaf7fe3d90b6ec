import { once } from 'node:events';
import path from 'node:path';
import type { GatewayOptions, GatewayProcess } from '../../support/gatewayProcess.ts';

/** How a gateway is started whose memory will be asked for. */
export const WITH_MEMORY: GatewayOptions = {
  ipc: true,
  nodeArguments: ['--expose-gc', '--import', path.join(import.meta.dirname, 'answerMemory.ts')],
};

/** The resident bytes of a gateway once everything is collected. */
export async function gatewayMemory(gateway: GatewayProcess): Promise<number> {
  const child = gateway.child();
  const answer = once(child, 'message', { signal: AbortSignal.timeout(10_000) });
  child.send('memory');
  const [bytes]: unknown[] = await answer;
  return Number(bytes);
}

/** `71.3 MB`. */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
