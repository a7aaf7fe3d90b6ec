import { Outlet } from '@tanstack/react-router';
import { ToastHost } from './ToastHost.tsx';

/** What is there on every screen, signed in or not. */
export function Root() {
  return (
    <>
      <Outlet />
      <ToastHost />
    </>
  );
}
