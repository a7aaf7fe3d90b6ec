import { isApiError } from '@sallyport/sdk';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTitle } from '../state/browser.ts';
import { lookForUpdate } from '../state/consoleUpdate.ts';
import { Button } from '../ui/controls/Button.tsx';
import { MessagePage } from '../ui/layout/MessagePage.tsx';

type ErrorPageProps = ErrorComponentProps & {
  /** It failed before there was a shell around it. */
  alone?: boolean | undefined;
};

/** A screen that could not be loaded or drawn. At the start, where there is nothing else to do, it tries again by itself. */
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
    <MessagePage
      within={!alone}
      urgent
      icon={<TriangleAlert aria-hidden />}
      title="Something went wrong"
      action={
        <Button variant="info" onClick={retry}>
          <span>Try again{alone ? <Countdown onEnd={retry} /> : null}</span>
        </Button>
      }
    >
      {isApiError(error) ? error.message : 'The console failed to show this page.'}
      {requestId ? <span className="mt-1 block font-mono text-xs">Request {requestId}</span> : null}
    </MessagePage>
  );
}

const RETRY_SECONDS = 10;

/** Counts the seconds until something is done by itself. */
function Countdown({ onEnd }: { onEnd: () => void }) {
  const [left, setLeft] = useState(RETRY_SECONDS);
  useEffect(() => {
    const timer = setTimeout(() => (left > 1 ? setLeft(left - 1) : onEnd()), 1000);
    return () => clearTimeout(timer);
  });
  return <span className="tabular-nums"> in {left} s</span>;
}
