import { Link } from '@tanstack/react-router';
import { useStore } from '../state/createStore.ts';
import { sidebar } from '../state/sidebar.ts';
import { Sidebar, SidebarLink, SidebarSection } from '../ui/layout/Sidebar.tsx';
import { pages } from './pages.ts';

type ShellSidebarProps = { open: boolean; onOpenChange: (open: boolean) => void };

/** The console's navigation. */
export function ShellSidebar({ open, onOpenChange }: ShellSidebarProps) {
  return (
    <Sidebar
      collapsed={useStore(sidebar) === 'collapsed'}
      onCollapsedChange={(next) => sidebar.set(next ? 'collapsed' : 'expanded')}
      open={open}
      onOpenChange={onOpenChange}
      home={<Link to="/" />}
    >
      <SidebarSection title="Pages">
        {pages.map(({ label, to, icon: Icon }) => (
          <SidebarLink
            key={to}
            label={label}
            icon={<Icon key="icon" size={18} aria-hidden />}
            link={<Link to={to} activeOptions={{ exact: to === '/' }} onClick={() => onOpenChange(false)} />}
          />
        ))}
      </SidebarSection>
    </Sidebar>
  );
}
