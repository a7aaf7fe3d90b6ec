import { Link, useRouterState } from '@tanstack/react-router';
import { BookOpen, CircleQuestionMark, CodeXml, LogOut, Mail } from 'lucide-react';
import { useState } from 'react';
import { useConnection } from '../data/connection.ts';
import { links } from '../data/links.ts';
import { useStore } from '../state/createStore.ts';
import { theme } from '../state/theme.ts';
import { toasts } from '../state/toasts.ts';
import { Header } from '../ui/Header.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { IconLink } from '../ui/IconLink.tsx';
import { Menu } from '../ui/Menu.tsx';
import { ThemeToggle } from '../ui/ThemeToggle.tsx';
import { OutsideLink } from '../ui/OutsideLink.tsx';

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

function SignOutButton() {
  const { session } = useConnection();
  const path = useRouterState({ select: (state) => state.location.href });
  const [busy, setBusy] = useState(false);
  const signOut = async () => {
    setBusy(true);
    const told = await session.end(path);
    setBusy(false);
    if (!told) toasts.show('Signed out here, but the gateway could not be told', 'warning');
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
