import { useTitle } from '../../state/browser.ts';
import { Page, PageHeader } from '../../ui/layout/Page.tsx';
import { ApiTokensCard } from './ApiTokensCard.tsx';
import { BackupCard } from './BackupCard.tsx';
import { PasswordCard } from './PasswordCard.tsx';
import { PublicAddressCard } from './PublicAddressCard.tsx';
import { SessionsCard } from './SessionsCard.tsx';

/** The cards of the page, in their order. */
const CARDS = [PublicAddressCard, BackupCard, ApiTokensCard, SessionsCard, PasswordCard] as const;

/** What concerns the gateway and its administrator as a whole. */
export function SettingsPage() {
  useTitle('Settings');
  return (
    <Page>
      <PageHeader title="Settings" />
      {CARDS.map((Card) => (
        <Card key={Card.name} />
      ))}
    </Page>
  );
}
