import { CircleHelp, Globe, House, LogOut, Server } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { AppFrame } from '../src/ui/AppFrame.tsx';
import { Header } from '../src/ui/Header.tsx';
import { IconButton } from '../src/ui/IconButton.tsx';
import { Menu } from '../src/ui/Menu.tsx';
import { Page } from '../src/ui/Page.tsx';
import { Sidebar, SidebarLink, SidebarSection } from '../src/ui/Sidebar.tsx';
import { ThemeToggle, type Theme } from '../src/ui/ThemeToggle.tsx';
import { ControlsDemo } from './ControlsDemo.tsx';
import { FormDemo } from './FormDemo.tsx';
import { LogDemo } from './LogDemo.tsx';
import { LoginDemo } from './LoginDemo.tsx';
import { NodeDemo } from './NodeDemo.tsx';
import { NodesDemo } from './NodesDemo.tsx';
import { OverlayDemo } from './OverlayDemo.tsx';

/** The parts of a page, chosen by the hash: #nodes, #node, #controls, #forms, #overlays, #log, #login. */
const DEMOS: Record<string, () => ReactNode> = {
  '#nodes': NodesDemo,
  '#node': NodeDemo,
  '#controls': ControlsDemo,
  '#forms': FormDemo,
  '#overlays': OverlayDemo,
  '#log': LogDemo,
};

function useHash() {
  const [hash, setHash] = useState(location.hash || '#nodes');
  useEffect(() => {
    const changed = () => setHash(location.hash || '#nodes');
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return hash;
}

/** Stands in for the router's Link, which marks the current page by itself. */
function Place({ to, children, ...rest }: { to: string; className?: string; children?: ReactNode }) {
  const hash = useHash();
  return (
    <a {...rest} href={to} {...(to === hash ? { 'aria-current': 'page' as const } : {})}>
      {children}
    </a>
  );
}

/** Every component in places like those where the console uses it. */
export function GalleryPage() {
  const hash = useHash();
  const [theme, setTheme] = useState<Theme>('auto');
  const [collapsed, setCollapsed] = useState(false);
  const [open, setOpen] = useState(false);

  const changeTheme = (next: Theme) => {
    setTheme(next);
    if (next === 'auto') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = next;
  };
  if (hash === '#login') return <LoginDemo />;
  const Demo = DEMOS[hash] ?? NodesDemo;
  return (
    <AppFrame
      sidebar={
        <Sidebar
          collapsed={collapsed}
          onCollapsedChange={setCollapsed}
          open={open}
          onOpenChange={setOpen}
          home={<Place to="#controls" />}
        >
          <SidebarSection>
            <SidebarLink label="Home" icon={<House size={18} aria-hidden />} link={<Place to="#controls" />} />
          </SidebarSection>
          <SidebarSection title="Pages">
            <SidebarLink label="Domain Names" icon={<Globe size={18} aria-hidden />} link={<Place to="#forms" />} />
            <SidebarLink label="Client / Nodes" icon={<Server size={18} aria-hidden />} link={<Place to="#nodes" />} />
          </SidebarSection>
        </Sidebar>
      }
      header={
        <Header onOpenNavigation={() => setOpen(true)} home={<Place to="#controls" />}>
          <Menu
            label="Need help?"
            items={[
              { label: 'Documentation', href: '#controls' },
              { label: 'Contact us', href: '#forms' },
            ]}
          >
            <IconButton label="Need help?" tooltipSide="bottom" icon={<CircleHelp size={18} aria-hidden />} />
          </Menu>
          <ThemeToggle theme={theme} onChange={changeTheme} />
          <IconButton label="Sign out" tooltipSide="bottom" icon={<LogOut size={18} aria-hidden />} />
        </Header>
      }
    >
      <Page>
        <Demo />
      </Page>
    </AppFrame>
  );
}
