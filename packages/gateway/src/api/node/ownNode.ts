import { failure } from '../failure.ts';
import type { NodeRow } from '../../store/rows.ts';
import type { Context } from '../context.ts';
import { nodeOf } from './nodeOf.ts';

/** The id of the node that the caller's access token belongs to. */
export function ownNodeId({ caller }: Pick<Context, 'caller'>): number {
  if (caller?.type !== 'node') throw failure.forbidden();
  return caller.nodeId;
}

/** The node that the caller's access token belongs to. */
export const ownNode = (context: Pick<Context, 'caller' | 'store'>): Promise<NodeRow> =>
  nodeOf(context.store, ownNodeId(context));
