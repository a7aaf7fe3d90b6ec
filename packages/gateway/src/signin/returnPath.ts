const MAX_CHARS = 2000;

/**
 * Where a visitor goes after signing in: a path of the domain itself, else its front page. What a browser might take for
 * another site, or what leads back here, is no such path.
 */
export function returnPath(wanted: string | null): string {
  if (wanted === null || wanted.length > MAX_CHARS || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(wanted)) return '/';
  return /^\/\.sallyport(?:[/?#]|$)/.test(wanted) ? '/' : wanted;
}
