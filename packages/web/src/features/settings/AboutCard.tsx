import { featureLabels, type GatewaySettings } from '@sallyport/sdk/contract';
import { links, OutsideLinks } from '../../data/links.tsx';
import { CopyButton } from '../../ui/controls/CopyButton.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Facts } from '../../ui/layout/Facts.tsx';
import { useSettings } from './settings.ts';

const PAGES = [
  { text: 'Documentation', to: links.documentation },
  { text: 'Source code', to: links.source },
  { text: 'Contact', to: links.contact },
  { text: 'Terms of service', to: links.terms },
  { text: 'Sponsor the project', to: links.sponsor },
];

/** What a report of a fault needs to say, without addresses, names and secrets. */
const diagnosticsOf = ({ version, features }: GatewaySettings): string =>
  [
    `Sallyport ${version}`,
    navigator.userAgent,
    ...features.map(({ feature, state }) => `${featureLabels[feature]}: ${state}`),
  ].join('\n');

/** Which version this is, and where more is told. */
export function AboutCard() {
  const settings = useSettings();
  return (
    <Card title="About">
      <div className="flex flex-col gap-4">
        <Facts
          items={[
            { label: 'Sallyport', value: settings?.version ?? '', mono: true },
            { label: 'Licence', value: 'MIT' },
          ]}
        />
        {settings === undefined ? null : (
          <div className="flex items-center gap-1 text-sm">
            Diagnostics for a report
            <CopyButton text={diagnosticsOf(settings)} label="Copy diagnostics" />
          </div>
        )}
        <OutsideLinks of={PAGES} className="flex flex-wrap gap-x-6 gap-y-2" />
      </div>
    </Card>
  );
}
