/** A whole address, in its parts. */
export type AddressParts = {
  /** What stands before `://`, in lower case; null: nothing does. */
  scheme: string | null;
  /** Without brackets. */
  host: string;
  /** Null where none is named. */
  port: number | null;
  /** `/` where there is none. */
  path: string;
  /** What no field of a form is for, in words. */
  leftOut: string[];
  /** The address as it may be shown again: without a password, and without what else is left out. */
  shown: string;
};

const MAX_CHARS = 2000;
const WITH_SCHEME = /^([a-z][a-z\d+.-]*):\/\/([^\s/\\]\S*)$/i;
/** Without a scheme, a port or a path tells an address from a host. Neither a network, 10.0.0.0/8, nor a path, a/b, is one. */
const WITHOUT_SCHEME =
  /^(?:(?:\[[\da-f:.]+\]|[^\s/:@?#[\]]+):\d+(?:\/\S*)?|[^\s/:@?#[\]]+\.[^\s/:@?#[\]]*[a-z][^\s/:@?#[\]]*\/\S*)$/i;

/** The parts of an address that was pasted as a whole; null where it is none, or where a part of it cannot be. */
export function splitAddress(text: string): AddressParts | null {
  const written = text.trim();
  if (written.length > MAX_CHARS) return null;
  const [, scheme = null, rest = WITHOUT_SCHEME.test(written) ? written : ''] = WITH_SCHEME.exec(written) ?? [];
  // Only schemes of the web have hosts that are checked. Each leaves out its own port: the other one has it.
  const [web, secure] = [`http://${rest}`, `https://${rest}`];
  if (!URL.canParse(web)) return null;
  const url = new URL(web);
  const port = new URL(secure).port || url.port;
  const host = url.hostname.replaceAll(/^\[|\]$|\.$/g, '');
  if (host === '') return null;
  const path = url.pathname;
  return {
    scheme: scheme?.toLowerCase() ?? null,
    host,
    port: port === '' ? null : Number(port),
    path,
    leftOut: [
      ...(url.username || url.password ? ['the user name and the password'] : []),
      ...(url.search ? ['what follows the ?'] : []),
      ...(url.hash ? ['what follows the #'] : []),
    ],
    shown: `${scheme === null ? '' : `${scheme.toLowerCase()}://`}${url.hostname}${port === '' ? '' : `:${port}`}${path === '/' ? '' : path}`,
  };
}

/** The port of a scheme of the web, where the address names none. */
export const portOf = ({ scheme, port }: AddressParts): number | null =>
  port ?? (scheme === 'http' ? 80 : scheme === 'https' ? 443 : null);
