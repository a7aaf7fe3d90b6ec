import ipaddr from 'ipaddr.js';
import { LOGIN_ATTEMPTS_MAX, LOGIN_WINDOW_MS } from '@sallyport/sdk/contract';

/**
 * Counts sign-ins per address, so that passwords cannot be guessed. Those that come past nginx count by themselves: any
 * process on the machine can make them, and must not lock out an administrator who signs in to the console from there.
 */
export type LoginAttempts = {
  /** Counts one try, before it is looked at: tries in parallel cannot pass. Answers the seconds to wait, 0: go on. */
  begin(address: string, isDirect?: boolean): number;
  /** The try was right: the address starts again. */
  succeeded(address: string, isDirect?: boolean): void;
};

const ADDRESSES_MAX = 10_000;

export function createLoginAttempts(now: () => Date): LoginAttempts {
  const tries = new Map<string, number[]>();
  return {
    begin(address, isDirect = false) {
      const at = now().getTime();
      const key = keyOf(address, isDirect);
      const recent = (tries.get(key) ?? []).filter((time) => time > at - LOGIN_WINDOW_MS);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= LOGIN_ATTEMPTS_MAX) {
        return Math.max(1, Math.ceil((oldest + LOGIN_WINDOW_MS - at) / 1000));
      }
      // Set again, so that the map is ordered by the last try and the first one is the one to forget.
      tries.delete(key);
      tries.set(key, [...recent, at]);
      if (tries.size > ADDRESSES_MAX) {
        for (const [first] of tries) {
          tries.delete(first);
          break;
        }
      }
      return 0;
    },
    succeeded(address, isDirect = false) {
      tries.delete(keyOf(address, isDirect));
    },
  };
}

const keyOf = (address: string, isDirect: boolean): string => `${isDirect ? 'direct ' : ''}${addressGroup(address)}`;

/** An IPv4 address, or the /64 of an IPv6 one: anyone who has one address of it has them all. */
function addressGroup(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6 ? `${address.parts.slice(0, 4).join(':')}::/64` : address.toString();
}
