import { Component, type ComponentType, createElement, lazy, type ReactNode, Suspense } from 'react';
import { Button } from '../controls/Button.tsx';
import { Alert } from '../layout/Alert.tsx';
import { PlainDialog } from './PlainDialog.tsx';

/** A part that could not be fetched or drawn. */
type PartFailure = {
  /** Fetches it again; once that has failed as well, loads the page again: an updated gateway has other files. */
  retry: () => void;
};

/**
 * A component that is fetched when it is first shown. When that fails the page around it stays, and `whenFailed` draws
 * what is in its place. Nothing is shown meanwhile.
 */
export function lazyPart<P extends object>(
  fetchPart: () => Promise<ComponentType<P>>,
  whenFailed: (failure: PartFailure, props: P) => ReactNode,
  reload: () => void = () => location.reload(),
): ComponentType<P> {
  // Once more by itself: a browser whose network changes gives up what it was fetching.
  const fresh = (): ComponentType<P> => lazy(async () => ({ default: await fetchPart().catch(fetchPart) }));
  let part = fresh();
  let failures = 0;

  return class LazyPart extends Component<P, { failed: boolean }> {
    override state = { failed: false };

    static getDerivedStateFromError(): { failed: boolean } {
      return { failed: true };
    }

    retry = (): void => {
      failures += 1;
      // What was fetched in vain stays so.
      if (failures > 1) reload();
      else part = fresh();
      this.setState({ failed: false });
    };

    override render(): ReactNode {
      if (this.state.failed) return whenFailed(this, this.props);
      return <Suspense fallback={null}>{createElement(part, this.props)}</Suspense>;
    }
  };
}

/** In the place of a part of a screen that could not be fetched. */
export function PartFailed({ what, onRetry }: { what: string; onRetry: () => void }) {
  return (
    <Alert
      type="error"
      action={
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {what} could not be loaded.
    </Alert>
  );
}

/**
 * A dialog or a menu that is fetched when it is first opened; when that fails, a dialog says so and offers to try again.
 */
export function lazyDialog<P extends { onClose: () => void }>(
  fetchPart: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  return lazyPart(fetchPart, ({ retry }, { onClose }) => (
    <PlainDialog
      title="This part could not be loaded"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button variant="info" onClick={retry}>
            Try again
          </Button>
        </>
      }
    >
      The gateway did not answer, or it was updated meanwhile.
    </PlainDialog>
  ));
}
