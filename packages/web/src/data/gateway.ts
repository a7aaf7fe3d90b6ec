import type { Feature, UnavailableFeature } from '@sallyport/sdk/contract';
import { useRead } from './queries.ts';

/** A feature that the gateway does not have: its reason and its fix; null when it has it, or while that is not known. */
export function useUnavailable(feature: Feature): UnavailableFeature | null {
  const { data } = useRead('system.config', {});
  return data?.unavailable.find((one) => one.feature === feature) ?? null;
}

/** Why the gateway does not have a feature, and what helps; null when it has it, or while that is not known. */
export function useUnavailableText(feature: Feature): string | null {
  const missing = useUnavailable(feature);
  return missing ? `${missing.reason} ${missing.fix}` : null;
}

/** The same of the tunnel, which it names: for places where nothing else does. */
export function useTunnelOff(): string | null {
  const text = useUnavailableText('tunnel');
  return text ? `The tunnel is off. ${text}` : null;
}
