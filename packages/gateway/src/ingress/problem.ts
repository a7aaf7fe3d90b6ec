import type { RenderOptions } from './render/desiredState.ts';
import type { Fault } from './nginx/faults.ts';

/** Why the ingress as a whole cannot be served, in a sentence that says what to do. */
export function ingressProblem(faults: readonly Fault[], ports: RenderOptions['ports']): string {
  const taken = faults.find(({ address }) => address !== undefined);
  if (taken?.address !== undefined) {
    const port = Number(/:(\d+)$/.exec(taken.address)?.[1]);
    const setting = {
      [ports.http]: 'SALLYPORT_HTTP_PORT',
      [ports.https]: 'SALLYPORT_HTTPS_PORT',
      [ports.console]: 'SALLYPORT_CONSOLE_PORT',
    }[port];
    const fix = setting === undefined ? 'Free it' : `Free it, or choose another port with ${setting}`;
    return `nginx cannot listen on ${taken.address}: ${reasonOf(taken.message)}. ${fix}.`;
  }
  return `nginx cannot serve: ${(faults[0]?.message ?? 'it gave no reason').slice(0, 300)}.`;
}

const reasonOf = (message: string): string => /\(\d+: ([^)]+)\)/.exec(message)?.[1]?.toLowerCase() ?? 'it is refused';
