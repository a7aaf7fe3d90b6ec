import { Outlet } from '@tanstack/react-router';
import { ToastHost } from './ToastHost.tsx';
import { UpdateQuestion } from './UpdateQuestion.tsx';

/** What is there on every screen, signed in or not. */
export function Root() {
  return (
    <>
      <Outlet />
      <ToastHost />
      <UpdateQuestion />
    </>
  );
}
