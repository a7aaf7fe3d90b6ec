import { failure } from '../failure.ts';
import type { NodeConfiguration, World } from '../../world.ts';
import type { NodeRow } from '../../store/rows.ts';

/** The WireGuard configuration of a node, private keys included. @throws {Failure} 400 when it cannot be made */
export function configurationOf(
  row: NodeRow,
  { world }: { world: Pick<World, 'nodeConfiguration'> },
): Extract<NodeConfiguration, { text: string }> {
  const configuration = world.nodeConfiguration(row);
  if ('problem' in configuration) throw failure.rejected(configuration.problem);
  return configuration;
}
