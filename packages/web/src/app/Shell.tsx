import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useConnection } from '../data/connection.ts';
import { queriesOf } from '../data/queriesOf.ts';
import { useVisible } from '../state/useVisible.ts';
import { AppFrame } from '../ui/layout/AppFrame.tsx';
import { DialogHost } from './DialogHost.tsx';
import { OffNotice } from './OffNotice.tsx';
import { ShellHeader } from './ShellHeader.tsx';
import { ShellSidebar } from './ShellSidebar.tsx';

/** What stands around every screen of a signed-in administrator. */
export function Shell() {
  const connection = useConnection();
  const [navigationOpen, setNavigationOpen] = useState(false);
  const isVisible = useVisible();
  const { streams } = connection;
  // A hidden window holds no connection: the browser has few, and the others want them.
  useEffect(() => {
    if (isVisible) streams.resume();
    else streams.pause();
  }, [isVisible, streams]);
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
