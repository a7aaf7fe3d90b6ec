import { isApiError } from '@sallyport/sdk';
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useTitle } from '../state/useTitle.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';

/** A screen that could not be loaded or drawn. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useTitle('Something went wrong');
  const requestId = isApiError(error) ? error.requestId : null;
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Page>
      <EmptyState
        title={<span role="alert">Something went wrong</span>}
        description={
          <>
            {isApiError(error) ? error.message : 'The console failed to show this page.'}
            {requestId ? <span className="block font-mono text-xs">Request {requestId}</span> : null}
          </>
        }
        action={
          <Button variant="info" onClick={retry}>
            Try again
          </Button>
        }
      />
    </Page>
  );
}
