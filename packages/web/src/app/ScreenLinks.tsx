import { Link } from '@tanstack/react-router';
import { useRead } from '../data/queries.ts';
import { SidebarLink, SidebarSection } from '../ui/layout/AppFrame.tsx';
import { screens } from './screens.ts';

/** What is said of Settings while a part of the gateway that should run does not. */
export function useSettingsNote(): string | undefined {
  const { data } = useRead('system.config', {});
  const missing = data?.unavailable.filter(({ chosen }) => chosen !== true).length ?? 0;
  return missing > 0 ? `${missing} unavailable` : undefined;
}

/** The ways to the console's pages. @param onFollow called when one is taken */
export function ScreenLinks({ onFollow }: { onFollow?: () => void }) {
  const note = useSettingsNote();
  return (
    <SidebarSection title="Pages">
      {screens.map(({ label, to, icon: Icon }) => (
        <SidebarLink
          key={to}
          label={label}
          note={to === '/settings' ? note : undefined}
          icon={<Icon size={18} aria-hidden />}
          link={<Link to={to} activeOptions={{ exact: to === '/' }} onClick={onFollow} />}
        />
      ))}
    </SidebarSection>
  );
}
