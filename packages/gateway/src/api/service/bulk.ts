import type { BulkResult, CheckedInputOf, EndpointNamed, ReplyOf } from '@sallyport/sdk/contract';
import { Failure, failure } from '../failure.ts';
import { nodesOf } from '../identity.ts';
import { nameKey } from '../../store/nameKey.ts';
import type { Part, StoreReader, Transaction } from '../../store/transaction.ts';
import type { Context, HandlersOf } from '../context.ts';
import { httpServices } from './httpService.ts';
import { tcpServices } from './tcpService.ts';

// Many services in one call: one transaction and one generation of nginx, in which each service is changed or refused by
// itself, by the very rules of the call about it alone.

type Body = CheckedInputOf<EndpointNamed<'bulk.services'>>['body'];
type Item = Body['items'][number];
type Reply = ReplyOf<EndpointNamed<'bulk.services'>>;
type Result = Pick<BulkResult, 'status' | 'message' | 'version'>;

type Rows = Pick<StoreReader, 'httpServices' | 'tcpServices'>;

const kinds = {
  http: { kind: 'httpService', rows: (at: Rows) => at.httpServices, within: httpServices.within },
  tcp: { kind: 'tcpService', rows: (at: Rows) => at.tcpServices, within: tcpServices.within },
} as const;

/** Changes many services, and says of each what became of it. */
async function changeMany(body: Body, context: Context): Promise<Reply> {
  const parts = await context.write(
    async (tx) => {
      const done: Part<Result>[] = [];
      for (const item of body.items) done.push(await partOf(tx, item, body, context));
      return done;
    },
    (done) => ({ results: done.map(({ value }) => value) }),
  );
  const results = parts.map(({ value, rejected }) => (rejected === null ? value : refusal(failure.rejected(rejected))));
  return replyOf(body.items, results, context);
}

/** The answer once more, whose services may have been changed, deleted or taken back since. */
export async function bulkAgain({ items }: Body, kept: readonly Result[], context: Context): Promise<Reply> {
  const results: Result[] = [];
  for (const [index, { type, id }] of items.entries()) {
    const result = kept[index] ?? refusal(failure.doneAndGone());
    const version = result.version === null ? null : ((await kinds[type].rows(context.store).get(id))?.version ?? null);
    // Versions grow, unless the row was put back as it was.
    const isTakenBack = version !== null && result.version !== null && version < result.version;
    results.push(isTakenBack ? refusal(failure.rejected(TAKEN_BACK)) : { ...result, version });
  }
  return replyOf(items, results, context);
}

const TAKEN_BACK = 'It could not be served, and is as before.';

/** What keeps a service from being served is told as it is now. */
const replyOf = (items: readonly Item[], results: readonly Result[], { world }: Context): Reply => ({
  results: items.flatMap(({ type, id }, index) => {
    const result = results[index];
    if (result === undefined) return [];
    const problem = result.version === null ? null : world.problem(kinds[type].kind, id);
    return [{ type, id, ...result, problem }];
  }),
});

async function partOf(tx: Transaction, item: Item, body: Body, context: Context): Promise<Part<Result>> {
  try {
    return await tx.part(() => changeOne(tx, item, body, context));
  } catch (error) {
    if (error instanceof Failure) return { value: refusal(error), rejected: null };
    throw error;
  }
}

/** As the call about one service would be refused; of fields that are wrong, what is wrong with them. */
function refusal({ status, message, errors }: Failure): Result {
  const problems = Object.values(errors ?? {}).flat();
  return {
    status,
    message: problems.length === 0 ? message : problems.map((problem) => problem.message).join(' '),
    version: null,
  };
}

async function changeOne(tx: Transaction, item: Item, body: Body, given: Context): Promise<Result> {
  const { rows, within } = kinds[item.type];
  const context = { ...given, ifMatch: item.version ?? null };
  const row = await rows(tx).get(item.id);
  const nodes = nodesOf(context.caller);
  // What is of another node is not there for a token that is limited to some.
  if (row === null || nodes?.includes(row.nodeId) === false) throw failure.notFound('Service not found');
  const params = { nodeId: row.nodeId, id: row.id };
  switch (body.action) {
    case 'enable':
    case 'disable':
      await within.setEnabled(tx, params, { enabled: body.action === 'enable' }, context);
      break;
    case 'tag':
      await within.update(tx, params, { change: { tags: taggedBy(body, row.tags) }, ttl: undefined }, context);
      break;
    case 'limit':
      if (!row.enabled) throw failure.rejected('It is closed, so there is nothing to limit. Enable it first.');
      await within.update(tx, params, { change: {}, ttl: body.ttl }, context);
      break;
    case 'remove':
      await within.remove(tx, params, context);
  }
  return { status: 200, message: null, version: (await rows(tx).get(item.id))?.version ?? null };
}

/** The tags of a service once some are added and others taken away. Those of a damaged row are none. */
function taggedBy({ addTags = [], removeTags = [] }: Body, tags: readonly string[]): string[] {
  const before = Array.isArray(tags) ? tags : [];
  const gone = new Set(removeTags.map(nameKey));
  const kept = before.filter((tag) => !gone.has(nameKey(tag)));
  const known = new Set(kept.map(nameKey));
  return [...kept, ...addTags.filter((tag) => !known.has(nameKey(tag)))];
}

export const bulkHandlers: HandlersOf<'bulk'> = {
  'bulk.services': ({ body }, context) => changeMany(body, context),
};
