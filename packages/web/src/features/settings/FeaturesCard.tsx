import { type Feature, featureLabels, type FeatureState } from '@sallyport/sdk/contract';
import { isAddressHost, isLoopbackHost } from '@sallyport/sdk/rules';
import { Link } from '@tanstack/react-router';
import { settingsGroupOf } from '../../data/featureOff.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { classes } from '../../ui/layout/classes.ts';
import { useSettings, withinSettings } from './settings.ts';

/** Every part of the gateway that can be missing: whether it runs, otherwise why not and what turns it on. */
export function FeaturesCard() {
  const { features, settings } = useSettings() ?? {};
  const host = settings?.find(({ name }) => name === 'SALLYPORT_VPN_HOST')?.value ?? '';
  const directory = settings?.find(({ name }) => name === 'SALLYPORT_ACME_URL')?.value;
  return (
    <Card title="Features" description="What this gateway can do at the moment, and what turns on the rest.">
      <ul className="flex flex-col -mb-4 divide-y divide-line border-t border-line">
        {features?.map((one) => (
          <FeatureRow
            key={one.feature}
            {...one}
            label={
              one.feature === 'letsEncrypt' && directory
                ? `Certificates of ${authorityOf(directory)}`
                : featureLabels[one.feature]
            }
            {...(one.feature === 'publicName' && one.state === 'on' ? publicNameOf(host) : {})}
          />
        ))}
      </ul>
    </Card>
  );
}

/** How others find the gateway, where it does not complain itself. */
function publicNameOf(host: string): Partial<FeatureState> {
  if (isLoopbackHost(host))
    return { state: 'unavailable', reason: `Other machines are told ${host}, which each takes for itself.` };
  return { reason: isAddressHost(host) ? `Without a name, by the address ${host}.` : null };
}

/** Who issues the certificates: the host of the directory, unless it is the one that everyone knows. */
function authorityOf(directory: string): string {
  const { host } = new URL(directory);
  return host === 'acme-v02.api.letsencrypt.org' ? featureLabels.letsEncrypt : host;
}

function FeatureRow({ feature, label, state, reason, fix }: FeatureState & { label: string }) {
  return (
    <li className="grid items-baseline gap-x-4 gap-y-0.5 py-2.5 @md:grid-cols-[1fr_2fr]">
      <span className="block text-sm font-medium first-letter:uppercase">{label}</span>
      <div className="flex min-w-0 flex-col gap-0.5 text-sm">
        <StateWord state={state}>{state === 'off' && feature !== 'tunnel' ? 'Not set up' : WORDS[state]}</StateWord>
        {reason === null ? null : (
          <p className={classes('pl-4.5 wrap-anywhere', state === 'unavailable' ? 'text-ink' : 'text-muted')}>
            {withinSettings(`${reason} ${fix ?? ''}`)} <SetUp feature={feature} />
          </p>
        )}
      </div>
    </li>
  );
}

/** The way to the group that sets a feature up, where that is another one. */
function SetUp({ feature }: { feature: Feature }) {
  // This is the group to which everything else about the tunnel leads.
  const group = feature === 'tunnel' ? 'gateway' : settingsGroupOf(feature);
  if (group === 'features') return null;
  return (
    <Link to="/settings/$group" params={{ group }} className="link">
      Set up
    </Link>
  );
}

// Only the tunnel is turned off; what else is off by choice is optional.
const WORDS = { on: 'On', off: 'Off by choice', unavailable: 'Unavailable' };
const INKS = { on: 'text-mark-online', off: 'text-muted', unavailable: 'text-mark-idle' };

/** The word of a state and its sign, whose shape tells as much as the colour: a disc, a ring, a triangle. */
function StateWord({ state, children }: Pick<FeatureState, 'state'> & { children: string }) {
  return (
    <span className="inline-flex items-center gap-2 font-medium">
      <svg viewBox="0 0 12 12" className={classes('size-2.5 shrink-0', INKS[state])} aria-hidden>
        {state === 'on' ? <circle cx="6" cy="6" r="4.8" fill="currentColor" /> : null}
        {state === 'off' ? <circle cx="6" cy="6" r="4.4" fill="none" stroke="currentColor" strokeWidth="2" /> : null}
        {state === 'unavailable' ? <path d="M6 1l5.4 10h-10.8z" fill="currentColor" /> : null}
      </svg>
      {children}
    </span>
  );
}
