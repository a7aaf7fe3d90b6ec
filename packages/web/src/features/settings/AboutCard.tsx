import { links, OutsideLinks } from '../../data/links.tsx';
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

/** Which version this is, and where more is told. */
export function AboutCard() {
  const settings = useSettings();
  return (
    <Card title="About">
      <div className="flex flex-col gap-4">
        <Facts items={[{ label: 'Sallyport', value: settings?.version ?? '', mono: true }]} />
        <OutsideLinks of={PAGES} className="flex flex-wrap gap-x-6 gap-y-2" />
      </div>
    </Card>
  );
}
