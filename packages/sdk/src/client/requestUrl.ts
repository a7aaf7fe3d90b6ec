import type { CallEndpoint } from '../contract/endpoint.ts';
import { check } from '../contract/problem.ts';
import { ApiError } from './apiError.ts';

/** What a method of the client is given, whatever the endpoint. */
export type AnyInput = {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly body?: unknown;
};

/** The address of the page in a browser; nothing elsewhere. */
const pageAddress = () => (globalThis as { location?: { href?: string } }).location?.href;

/**
 * The gateway's address out of an option: `https://gateway.example:9443`, with or without a path; in a browser also a
 * path alone (`''` is the page's own origin).
 *
 * @throws TypeError when it is no such address, or carries a user name or password.
 */
export function baseUrlOf(address: string): URL {
  const page = pageAddress();
  const isAbsolute = URL.canParse(address);
  const text =
    isAbsolute || !page?.startsWith('http') ? address : new URL(`/${address.replace(/^\/+/, '')}`, page).href;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new TypeError(
      'baseUrl must be an http or https address without credentials, like https://gateway.example:9443',
    );
  }
  return new URL(url.pathname.replace(/\/+$/, ''), url.origin);
}

/**
 * The address of a request. Path parameters are checked first, so that nothing but an id ever becomes part of a path;
 * what is undefined in the query is left out, and a list is its name once for each value.
 */
export function requestUrl(
  base: URL,
  endpoint: Pick<CallEndpoint, 'path' | 'params'>,
  { params, query }: AnyInput,
): URL {
  const values: Record<string, unknown> = {};
  if (endpoint.params) {
    const checked = check(endpoint.params, params);
    if (!checked.ok) {
      throw new ApiError('invalid', 'Validation failed', { problems: checked.problems });
    }
    Object.assign(values, checked.value);
  }
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const url = new URL(base.pathname.replace(/\/+$/, '') + path, base.origin);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  }
  return url;
}
