import { formatExact } from '@sallyport/sdk';
import { Link, useRouterState } from '@tanstack/react-router';
import { BookOpen, CircleQuestionMark, CodeXml, LogOut, Mail } from 'lucide-react';
import { useState } from 'react';
import { useConnection } from '../data/connection.ts';
import { links } from '../data/links.ts';
import { useStore } from '../state/createStore.ts';
import type { SessionEnd } from '../state/session.ts';
import { theme } from '../state/theme.ts';
import { Header } from '../ui/layout/Header.tsx';
import { IconButton } from '../ui/controls/IconButton.tsx';
import { IconLink } from '../ui/controls/IconLink.tsx';
import { Menu } from '../ui/overlays/Menu.tsx';
import { ThemeToggle } from '../ui/controls/ThemeToggle.tsx';
import { OutsideLink } from '../ui/controls/OutsideLink.tsx';

/** The bar on top: source, help, theme, sign-out. */
export function ShellHeader({ onOpenNavigation }: { onOpenNavigation: () => void }) {
  return (
    <Header onOpenNavigation={onOpenNavigation} home={<Link to="/" />}>
      <IconLink
        label="Source code"
        tooltipSide="bottom"
        icon={<CodeXml key="icon" size={18} aria-hidden />}
        link={<OutsideLink to={links.source} />}
      />
      <Menu
        label="Need help?"
        items={[
          { label: 'Documentation', icon: <BookOpen aria-hidden />, href: links.documentation },
          { label: 'Contact us', icon: <Mail aria-hidden />, href: links.contact },
        ]}
      >
        <IconButton label="Need help?" tooltipSide="bottom" icon={<CircleQuestionMark size={18} aria-hidden />} />
      </Menu>
      <ThemeToggle theme={useStore(theme)} onChange={theme.set} />
      <SignOutButton />
    </Header>
  );
}

/** What is true of a session that the gateway still has. */
const untold = ({ endsAt, hadKey }: SessionEnd) =>
  hadKey
    ? `Signed out. The gateway could not be told: the session there ends at ${formatExact(endsAt)}, and is of no use without the key that this browser has just deleted.`
    : `Signed out in this tab. The gateway could not be told: the session there ends at ${formatExact(endsAt)}.`;

function SignOutButton() {
  const { session } = useConnection();
  const path = useRouterState({ select: (state) => state.location.href });
  const [busy, setBusy] = useState(false);
  const signOut = async () => {
    setBusy(true);
    const end = await session.end(path);
    setBusy(false);
    if (end !== null && !end.told) session.notice.set(untold(end));
  };
  return (
    <IconButton
      label="Sign out"
      loading={busy}
      tooltipSide="bottom"
      icon={<LogOut size={18} aria-hidden />}
      onClick={() => void signOut()}
    />
  );
}
