import type { Service } from './serviceKinds.ts';

/** Why visitors do not get what they came for, in a sentence; null when nothing is known to be wrong. */
export function serviceTrouble({
  enabled,
  closedBy,
  problem,
  health,
  healthReason,
}: Pick<Service, 'enabled' | 'closedBy' | 'problem' | 'health' | 'healthReason'>): string | null {
  // That is shown next to it, at the reader's own time of day.
  if (closedBy === 'time-limit') return null;
  if (problem) return problem;
  if (!enabled || health !== 'down') return null;
  return healthReason ?? 'The backend does not answer.';
}
