import type { Feature, UnavailableFeature } from '@sallyport/sdk/contract';
import { useRead } from './queries.ts';

/** A feature that the gateway does not have: its reason and its fix; null when it has it, or while that is not known. */
export function useUnavailable(feature: Feature): UnavailableFeature | null {
  const { data } = useRead('system.config', {});
  return data?.unavailable.find((one) => one.feature === feature) ?? null;
}
