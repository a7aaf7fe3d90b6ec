import { Link } from '@tanstack/react-router';
import { LogOut } from 'lucide-react';
import { Drawer, DrawerButton } from '../ui/layout/Drawer.tsx';
import { useSignOut, useTheme } from './themeAndSession.ts';
import { ScreenLinks } from './ScreenLinks.tsx';

/** The console's navigation on small screens, with what is only an icon in the bar. */
export function ShellDrawer({ onClose }: { onClose: () => void }) {
  const { chosen, icon: Icon, change } = useTheme();
  const { busy, signOut } = useSignOut();
  return (
    <Drawer
      home={<Link to="/" onClick={onClose} />}
      onClose={onClose}
      footer={
        <>
          <DrawerButton icon={<Icon size={18} aria-hidden />} onClick={change}>
            Theme: {chosen}
          </DrawerButton>
          <DrawerButton icon={<LogOut size={18} aria-hidden />} busy={busy} onClick={signOut}>
            Sign out
          </DrawerButton>
        </>
      }
    >
      <ScreenLinks onFollow={onClose} />
    </Drawer>
  );
}
