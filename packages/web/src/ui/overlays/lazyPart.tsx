import { Component, createElement, lazy, Suspense, type ComponentType, type ReactNode } from 'react';

/** A part that could not be fetched or drawn. */
export type PartFailure = {
  /** Fetches it anew; once that has failed as well, loads the page anew: an updated gateway has other files. */
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
  const fresh = (): ComponentType<P> => lazy(async () => ({ default: await fetchPart() }));
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
