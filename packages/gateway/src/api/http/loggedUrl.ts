const isToken = (pair: string): boolean =>
  [...new URLSearchParams(pair).keys()].some((name) => name.toLowerCase() === 'token');

/** A URL as it may be logged: `?token=` is for clients that cannot send headers, and may be spelled with escapes. */
export function loggedUrl(url: string): string {
  const begin = url.indexOf('?');
  if (begin < 0) return url;
  const pairs = url.slice(begin + 1).split('&');
  const logged = pairs.map((pair) => (isToken(pair) ? 'token=[redacted]' : pair));
  return `${url.slice(0, begin)}?${logged.join('&')}`;
}
