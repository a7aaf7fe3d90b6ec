/** Where a sign-in leads when no page was left behind. */
const HOME = '/';

// Whitespace and control characters are dropped by URL parsers: "/\t/elsewhere" would become "//elsewhere".
// oxlint reads this class as text, so it is spelled with Unicode properties.
const UNSAFE = /[\\\p{Cc}\p{Zs}\p{Zl}\p{Zp}]/u;

/**
 * The path when it surely stays on the console's own origin (one leading slash, no backslash, no `//`) and is not the
 * login page itself; otherwise the home page.
 */
export function safePath(path: unknown): string {
  if (typeof path !== 'string' || !path.startsWith('/') || path.includes('//') || UNSAFE.test(path)) return HOME;
  return /^\/login(?:[/?#]|$)/.test(path) ? HOME : path;
}
