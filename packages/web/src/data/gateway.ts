import type { Domain, Feature, SslKind, UnavailableFeature } from '@sallyport/sdk/contract';
import { useEffect, useState } from 'react';
import { useRead } from './queries.ts';

/** A feature that the gateway does not have: its reason and its fix; null when it has it, or while that is not known. */
export function useUnavailable(feature: Feature): UnavailableFeature | null {
  const { data } = useRead('system.config', {});
  return data?.unavailable.find((one) => one.feature === feature) ?? null;
}

/** The last keystroke is this old before the gateway is asked. */
const DEBOUNCE_MS = 300;
const CANDIDATES = 20;

/** The gateway's domain of exactly this name; null when it has none. Not `settled` while that is being found out. */
export function useDomainNamed(name: string): { domain: Domain | null; settled: boolean } {
  const wanted = name.trim().toLowerCase();
  const [asked, setAsked] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { data } = useRead(
    'domain.list',
    { query: { search: asked, page: 1, limit: CANDIDATES } },
    { enabled: asked !== '' },
  );
  const settled = asked === wanted && (wanted === '' || data !== undefined);
  return { domain: (settled && data?.data.find((domain) => domain.domain === wanted)) || null, settled };
}

/** What the kinds of certificate are called. */
export const sslName: Record<SslKind, string> = { 'self-signed': 'Self Signed', certbot: "Let's Encrypt" };
