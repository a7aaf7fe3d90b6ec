import type { Health, World } from '../world.ts';

/**
 * The world as the token of a node is told of it. Why the gateway as a whole does not work may name its files, its
 * settings, and what other nodes have: that is for the administrator.
 */
export function nodeWorld(world: World): World {
  const told = (sentence: string | null): string | null => {
    const part = world.unavailable().find(({ reason }) => reason !== '' && sentence?.includes(reason));
    if (sentence === null || part === undefined) return sentence;
    const own = sentence.replace(part.reason, '').replace(part.fix, '').trim();
    return `${own === '' ? 'The gateway does not serve it at the moment.' : own} Ask the administrator.`;
  };
  const toldHealth = ({ health, healthReason }: Health): Health => ({ health, healthReason: told(healthReason) });
  return {
    ...world,
    unavailable: () =>
      world.unavailable().map(({ feature }) => ({
        feature,
        reason: 'It does not run on this gateway.',
        fix: 'Ask its administrator.',
      })),
    problem: (kind, id) => told(world.problem(kind, id)),
    health: (kind, id) => toldHealth(world.health(kind, id)),
    asked: async (kind, id) => toldHealth(await world.asked(kind, id)),
    nodeConfiguration(node) {
      const configuration = world.nodeConfiguration(node);
      if (!('problem' in configuration)) return configuration;
      return { problem: 'The configuration of this node cannot be made. Ask the administrator.' };
    },
  };
}
