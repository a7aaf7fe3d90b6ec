import type { OffPart } from '@sallyport/sdk/contract';
import { useRead } from './read.ts';

/** A part of the gateway that the console explains where it is missed. */
type Part = 'tunnel' | 'public name' | 'TCP and UDP services' | "Let's Encrypt" | 'sign-in for visitors';

/** A part of the gateway that does not run: its reason and its remedy; null when it runs, or while that is not known. */
export function useOffPart(part: Part): OffPart | null {
  const { data } = useRead('system.config', {});
  return data?.off.find((one) => one.part === part) ?? null;
}

/** Why a part of the gateway does not run, and what to do about it; null when it runs, or while that is not known. */
export function useOff(part: Part): string | null {
  const off = useOffPart(part);
  return off ? `${off.reason} ${off.remedy}` : null;
}

/** The same of the tunnel, which it names: for places where nothing else does. */
export function useTunnelOff(): string | null {
  const off = useOff('tunnel');
  return off ? `The tunnel is off. ${off}` : null;
}
