import { isApiError } from '@sallyport/sdk';
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { lookForUpdate } from '../state/consoleUpdate.ts';
import { useTitle } from '../state/useTitle.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Plain } from './Plain.tsx';

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
