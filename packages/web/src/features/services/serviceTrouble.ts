import type { Service } from './serviceKinds.ts';

/** Why visitors do not get what they came for, in a sentence; null when nothing is known to be wrong. */
export function serviceTrouble({
  enabled,
  problem,
  health,
  healthReason,
}: Pick<Service, 'enabled' | 'problem' | 'health' | 'healthReason'>): string | null {
  if (problem) return problem;
  if (!enabled || health !== 'down') return null;
  return healthReason ?? 'The backend does not answer.';
}
