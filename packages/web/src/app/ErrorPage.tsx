import { isApiError } from '@sallyport/sdk';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useTitle } from '../state/browser.ts';
import { lookForUpdate } from '../state/consoleUpdate.ts';
import { Button, buttonClass } from '../ui/controls/Button.tsx';
import { Mark } from '../ui/layout/Brand.tsx';

type ErrorPageProps = ErrorComponentProps & {
  /** It failed before there was a shell around it. */
  alone?: boolean | undefined;
};

/** A screen that could not be loaded or drawn. */
export function ErrorPage({ error, reset, alone = false }: ErrorPageProps) {
  const router = useRouter();
  useTitle('Something went wrong');
  // An updated gateway has other files and replies than this page expects.
  useEffect(() => {
    if (!isApiError(error) || error.kind === 'mismatch') void lookForUpdate();
  }, [error]);
  const requestId = isApiError(error) ? error.requestId : null;
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Plain
      within={!alone}
      urgent
      title="Something went wrong"
      action={
        <Button variant="info" onClick={retry}>
          Try again
        </Button>
      }
    >
      {isApiError(error) ? error.message : 'The console failed to show this page.'}
      {requestId ? <span className="mt-1 block font-mono text-xs">Request {requestId}</span> : null}
    </Plain>
  );
}

type PlainProps = {
  title: ReactNode;
  children?: ReactNode;
  action: ReactNode;
  /** The shell stands around it. */
  within?: boolean | undefined;
  /** No one asked for it: it is read out at once. */
  urgent?: boolean | undefined;
};

/** A screen that only says something and leads away. */
export function Plain({ title, children, action, within = false, urgent = false }: PlainProps) {
  const Frame = within ? 'div' : 'main';
  return (
    <Frame
      className={`flex flex-col items-center justify-center gap-4 px-4 py-12 text-center ${within ? 'flex-1' : 'min-h-dvh'}`}
    >
      {within ? null : <Mark size={48} />}
      <div {...(urgent ? { role: 'alert' } : {})} className="flex max-w-md flex-col gap-4">
        <h1 className="text-xl font-semibold tracking-tight text-balance">{title}</h1>
        {children ? <div className="text-muted">{children}</div> : null}
      </div>
      {action}
    </Frame>
  );
}

/** Any path that the console does not know. */
export function NotFoundPage() {
  useTitle('Page not found');
  return (
    <Plain
      title="Hmm...this page doesn't exist. Try searching for something else!"
      action={
        <Link to="/" className={buttonClass({ variant: 'info' })}>
          Back To Home
        </Link>
      }
    />
  );
}
