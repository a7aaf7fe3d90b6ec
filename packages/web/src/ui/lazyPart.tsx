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
  const retry = () => {
    failures += 1;
    // What was fetched in vain stays so.
    if (failures > 1) reload();
    else part = fresh();
  };
  return function LazyPart(props: P) {
    return (
      <PartBoundary
        draw={() => <Suspense fallback={null}>{createElement(part, props)}</Suspense>}
        drawFailed={(again) =>
          whenFailed(
            {
              retry: () => {
                retry();
                again();
              },
            },
            props,
          )
        }
      />
    );
  };
}

type PartBoundaryProps = {
  draw: () => ReactNode;
  drawFailed: (again: () => void) => ReactNode;
};

class PartBoundary extends Component<PartBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    const { draw, drawFailed } = this.props;
    return this.state.failed ? drawFailed(() => this.setState({ failed: false })) : draw();
  }
}
