import { failure } from '../failure.ts';
import type { NodeRow } from '../../store/rows.ts';
import type { StoreReader } from '../../store/transaction.ts';

/** The node that a path names; 404 when there is none. */
export async function nodeOf(at: Pick<StoreReader, 'nodes'>, id: number): Promise<NodeRow> {
  const node = await at.nodes.get(id);
  if (node === null) throw failure.notFound('Node not found!');
  return node;
}
