import type { Service } from './serviceKinds.ts';
import { Check, X } from 'lucide-react';
import { Badge } from '../../ui/layout/Badge.tsx';
import { VisuallyHidden } from '../../ui/layout/VisuallyHidden.tsx';

/** Whether the backend answers, as a sign and a word; nothing while that is not known. */
export function HealthBadge({ enabled, health }: Pick<Service, 'enabled' | 'health'>) {
  if (!enabled || health === 'unknown') return null;
  const isUp = health === 'up';
  return (
    <Badge tone={isUp ? 'success' : 'danger'} icon={isUp ? <Check aria-hidden /> : <X aria-hidden />}>
      <VisuallyHidden>Backend </VisuallyHidden>
      {isUp ? 'Up' : 'Down'}
    </Badge>
  );
}
