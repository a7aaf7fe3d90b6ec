type LoggedPair = (pair: string) => string;

/** A URL as it may be logged: `?token=` is for clients that cannot send headers, and may be spelled with escapes. */
export const loggedUrl = (url: string): string => withPairs(url, withoutSharedTokens);

function withPairs(url: string, logged: LoggedPair): string {
  const begin = url.indexOf('?');
  if (begin < 0) return url;
  return `${url.slice(0, begin)}?${url
    .slice(begin + 1)
    .split('&')
    .map(logged)
    .join('&')}`;
}

const withoutToken: LoggedPair = (pair) => {
  const [[name] = ['']] = new URLSearchParams(pair);
  return name.toLowerCase() === 'token' ? 'token=[redacted]' : pair;
};

/** A shared stream is asked for by the addresses of others, a line each. */
const withoutSharedTokens: LoggedPair = (pair) => {
  const [[name, value] = ['', '']] = new URLSearchParams(pair);
  if (name !== 'of') return withoutToken(pair);
  const lines = value.split('\n').map((line) => withPairs(line, withoutToken));
  return `of=${encodeURIComponent(lines.join('\n'))}`;
};
