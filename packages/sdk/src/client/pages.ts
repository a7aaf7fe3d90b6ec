import type { Page } from '../contract/paging.ts';
import type { CallOptions } from './transport.ts';
import type { AnyInput } from './requestUrl.ts';

const PAGE_SIZE = 100;

/** Every row of a list, page by page. The oldest rows come first unless asked otherwise, so that new ones move nothing. */
export async function* rowsOf(
  list: (input: AnyInput, options?: CallOptions) => Promise<Page<unknown>>,
  input: AnyInput = {},
  options?: CallOptions,
): AsyncGenerator<unknown, void, undefined> {
  const query = { limit: PAGE_SIZE, orderBy: 'id,asc', ...input.query };
  for (let page = Number(input.query?.['page'] ?? 1); ; page += 1) {
    const { data, limit, total } = await list({ ...input, query: { ...query, page } }, options);
    yield* data;
    // A gateway of the same family may answer with all rows at once, whatever was asked for.
    if (data.length === 0 || page * limit >= total) return;
  }
}
