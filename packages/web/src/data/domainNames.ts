import { check, type Domain, field, type SslKind } from '@sallyport/sdk/contract';
import { useEffect, useState } from 'react';
import { useRead } from './queries.ts';

/** A domain name as DNS has it, `xn--bcher-kva.example` for `bücher.example`; what is no domain name as it was typed. */
export function dnsName(typed: string): string {
  const checked = check(field.domainName, typed);
  return checked.ok ? checked.value : typed.trim().toLowerCase();
}

/** Says how an international name is written in DNS; null for any other. */
export function dnsSpelling(typed: string): string | null {
  const name = dnsName(typed);
  return name === typed.trim().toLowerCase() ? null : `${typed.trim()} is ${name} in DNS.`;
}

/** The last keystroke is this old before the gateway is asked. */
const DEBOUNCE_MS = 300;
const CANDIDATES = 20;

/** The gateway's domain of exactly this name; null when it has none. Not `settled` while that is being found out. */
export function useDomainNamed(name: string): { domain: Domain | null; settled: boolean } {
  const wanted = dnsName(name);
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
