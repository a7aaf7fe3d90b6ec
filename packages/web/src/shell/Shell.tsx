import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { useConnection } from '../data/connection.ts';
import { queriesOf } from '../data/queriesOf.ts';
import { AppFrame } from '../ui/AppFrame.tsx';
import { DialogHost } from './DialogHost.tsx';
import { OffNotice } from './OffNotice.tsx';
import { ShellHeader } from './ShellHeader.tsx';
import { ShellSidebar } from './ShellSidebar.tsx';

/** What stands around every screen of a signed-in administrator. */
export function Shell() {
  const connection = useConnection();
  const [navigationOpen, setNavigationOpen] = useState(false);
  return (
    <QueryClientProvider client={queriesOf(connection)}>
      <AppFrame
        sidebar={<ShellSidebar open={navigationOpen} onOpenChange={setNavigationOpen} />}
        header={<ShellHeader onOpenNavigation={() => setNavigationOpen(true)} />}
      >
        <OffNotice />
        <Outlet />
      </AppFrame>
      <DialogHost />
    </QueryClientProvider>
  );
}
