const MAX_CHARS = 2000;

/**
 * Where a visitor goes after signing in: a path of the domain itself, else its front page. What a browser might take for
 * another site, or what leads back here, is no such path.
 */
export function returnPath(wanted: string | null): string {
  if (wanted === null || wanted.length > MAX_CHARS || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(wanted)) return '/';
  return leadsHere(wanted) ? '/' : wanted;
}

/** Whether it arrives at the gateway's own pages, once a browser has taken the dots out and nginx has read it. */
function leadsHere(path: string): boolean {
  const { pathname } = new URL(path, 'https://own.invalid');
  const read = pathname.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return /^\/+\.sallyport(?:\/|$)/.test(read);
}
