import type { Feature } from '@sallyport/sdk/contract';
import { useUnavailable } from './gateway.ts';
import { OutsideLink } from './links.tsx';

/** Where features are set up, if not in the group that lists all of them. */
const GROUPS: Partial<Record<Feature, string>> = {
  publicName: 'gateway',
  letsEncrypt: 'certificates',
  visitorSignIn: 'sign-in',
};

/** The group of Settings in which a feature is set up. */
export const settingsGroupOf = (feature: Feature): string => GROUPS[feature] ?? 'features';

/** What is said where a feature is needed that is missing: one line. Why, and what turns it on, Settings say. */
const SENTENCES: Partial<Record<Feature, string>> = {
  ingress: 'The web server of this gateway does not run.',
  tcpServices: 'TCP and UDP services are off on this gateway.',
  tunnel: 'The tunnel of this gateway is off.',
  publicName: 'Other machines may not find this gateway by its name.',
  letsEncrypt: "Let's Encrypt is off on this gateway.",
  visitorSignIn: 'Sign-in for visitors is not set up on this gateway.',
};

/** Leads to where a feature is set up, next to the console: nothing that was typed is lost. */
export const SetUp = ({ feature }: { feature: Feature }) => (
  <OutsideLink to={`/settings/${settingsGroupOf(feature)}`} className="link whitespace-nowrap">
    Set up
  </OutsideLink>
);

/** Says that a feature is missing, and where it is set up. */
export function FeatureOff({ feature }: { feature: Feature }) {
  return (
    <>
      {SENTENCES[feature]} <SetUp feature={feature} />
    </>
  );
}

/** The same while the feature is missing, and another text while it is not. */
export function useFeatureHint(feature: Feature, otherwise?: string) {
  return useUnavailable(feature) === null ? otherwise : <FeatureOff feature={feature} />;
}
