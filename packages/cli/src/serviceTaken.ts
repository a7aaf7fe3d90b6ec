import { isApiError, printable } from '@sallyport/sdk';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';

/** Where a service was to be reached. */
type Place = {
  domain?: string | null | undefined;
  pathLocation?: string | null | undefined;
  port?: number | null | undefined;
};

/** An API token may write services without reading any. */
const UNSEEN = { data: [] };

const pathOf = (path: string | null | undefined): string => path?.replace(/\/+$/, '') || '/';

/**
 * What was thrown when a service was to be saved; where another one has its address or its port, in words that name that one, as far as the caller may see it.
 * @param place as far as it was asked for
 */
export async function explainTaken(context: Context, error: unknown, place: Place): Promise<unknown> {
  if (!isApiError(error, 'invalid')) return error;
  const fields = error.problems.map(({ field }) => field);
  const [client, { signal }] = [await context.client(), context];
  if (fields.length === 1 && fields[0] === 'port' && place.port) {
    const { data } = await client.tcpService.listAll({}, { signal }).catch(() => UNSEEN);
    const other = data.find(({ port }) => port === place.port);
    return other === undefined ? error : takenBy(error, other, `port ${place.port}`, '--port or none');
  }
  // That it is taken is the one thing that is ever wrong with both.
  if (fields.length !== 2 || !fields.includes('domain') || !fields.includes('pathLocation')) return error;
  const [domain, path] = [place.domain?.toLowerCase() || null, pathOf(place.pathLocation)];
  const query = domain === null ? {} : { domain };
  const { data } = await client.httpService.listAll({ query }, { signal }).catch(() => UNSEEN);
  const other = data.find((each) => each.domain === domain && pathOf(each.pathLocation) === path);
  const what = `path ${path} of ${domain ?? "the gateway's own address"}`;
  return other === undefined ? error : takenBy(error, other, what, '--path-location or --domain');
}

const takenBy = (cause: unknown, { id, name }: { id: number; name: string }, what: string, flags: string): Failure =>
  new Failure(
    'usage',
    `The ${what} is taken by the service "${printable(name)}" (${id}).`,
    `Give another ${flags}, or change that one: \`sallyport service edit ${id}\`.`,
    { cause },
  );
