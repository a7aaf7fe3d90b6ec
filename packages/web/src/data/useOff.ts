import { useRead } from './read.ts';

/** A part of the gateway that the console explains where it is missed. */
type Part = 'tunnel' | 'TCP and UDP services' | "Let's Encrypt" | 'sign-in for visitors';

/** Why a part of the gateway does not run, and what to do about it; null when it runs, or while that is not known. */
export function useOff(part: Part): string | null {
  const { data } = useRead('system.config', {});
  const off = data?.off.find((one) => one.part === part);
  return off ? `${off.reason} ${off.remedy}` : null;
}
