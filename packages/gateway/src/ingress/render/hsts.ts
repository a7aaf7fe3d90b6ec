import { UnquotableError } from '../../rules/attempt.ts';
import type { ConfigText } from './configText.ts';

const DAY_SECONDS = 86_400;
/** What a domain can promise, in seconds; 0 takes back what it promised. */
export const HSTS_SECONDS = [0, DAY_SECONDS, 7 * DAY_SECONDS, 30 * DAY_SECONDS, 365 * DAY_SECONDS] as const;

/**
 * The values of the header, once for all servers. Nothing is said over plain HTTP, and a backend that says something
 * itself is not contradicted: browsers take the first of two.
 */
export function writeHstsVariables(out: ConfigText): void {
  for (const seconds of HSTS_SECONDS) {
    out.block(`map "$https$upstream_http_strict_transport_security" $hsts_${seconds}`, () => {
      out.line(`on "max-age=${seconds}"`);
    });
  }
}

/** The header of a server, or of a location with headers of its own. @param seconds null: none */
export function writeHsts(out: ConfigText, seconds: number | null): void {
  if (seconds === null) return;
  if (!(HSTS_SECONDS as readonly number[]).includes(seconds)) throw new UnquotableError('It has no such time.');
  out.line(`add_header Strict-Transport-Security $hsts_${seconds} always`);
}
