import { type Feature, featureLabels } from '@sallyport/sdk/contract';
import type { ReactNode } from 'react';
import { useUnavailable } from '../data/gateway.ts';
import { OutsideLink } from '../data/links.tsx';

/** Says that something cannot be chosen on this gateway, with the way to where that changes; null: it can. */
export function useUnavailableHint(feature: Feature): ReactNode {
  return useUnavailable(feature) === null ? null : <UnavailableText feature={feature} />;
}

/** Why and how to change it is told in Settings, in another tab: what was typed into the form stays. */
export function UnavailableText({ feature }: { feature: Feature }) {
  return (
    <>
      Off on this gateway: {featureLabels[feature]}.{' '}
      <OutsideLink to="/settings" className="link">
        Settings
      </OutsideLink>
    </>
  );
}
