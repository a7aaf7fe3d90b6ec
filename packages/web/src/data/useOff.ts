import type { OffPart } from '@sallyport/sdk/contract';
import { useRead } from './read.ts';

/** A part of the gateway that the console explains where it is missed. */
type Part = 'tunnel' | "Let's Encrypt" | 'sign-in for visitors';

/** What the gateway says about a part that does not run; null when it runs, or while that is not known. */
export function useOff(part: Part): OffPart | null {
  const { data } = useRead('system.config', {});
  return data?.off.find((off) => off.part === part) ?? null;
}
