import { Component, type ComponentType, createElement, type ReactNode } from 'react';
import { Button } from '../controls/Button.tsx';
import { Alert } from '../layout/Alert.tsx';
import { logFailure } from '../logFailure.ts';
import { PlainDialog } from './PlainDialog.tsx';

/** A part that could not be fetched or drawn. */
type PartFailure = {
  /** Fetches it again; once that has failed as well, loads the page again: an updated gateway has other files. */
  retry: () => void;
};

/**
 * A component that is fetched when it is first shown. When that fails the page around it stays, and `whenFailed` draws
 * what is in its place. Nothing is shown meanwhile. Not `React.lazy`: once it has drawn nothing, React keeps that for at
 * least 300 ms, and every dialog would open as much later.
 */
export function lazyPart<P extends object>(
  fetchPart: () => Promise<ComponentType<P>>,
  whenFailed: (failure: PartFailure, props: P) => ReactNode,
  reload: () => void = () => location.reload(),
): ComponentType<P> {
  let part: ComponentType<P> | null = null;
  let failures = 0;

  return class LazyPart extends Component<P, { failed: boolean }> {
    override state = { failed: false };

    static getDerivedStateFromError(): { failed: boolean } {
      return { failed: true };
    }

    override componentDidMount(): void {
      if (part === null) void this.load();
    }

    async load(): Promise<void> {
      try {
        // Once more by itself: a browser whose network changes gives up what it was fetching.
        part = await fetchPart().catch(fetchPart);
        this.setState({ failed: false });
      } catch (error) {
        logFailure(error);
        this.setState({ failed: true });
      }
    }

    retry = (): void => {
      failures += 1;
      // What was fetched in vain stays so.
      if (failures > 1) return reload();
      this.setState({ failed: false });
      void this.load();
    };

    override render(): ReactNode {
      if (this.state.failed) return whenFailed(this, this.props);
      return part && createElement(part, this.props);
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
