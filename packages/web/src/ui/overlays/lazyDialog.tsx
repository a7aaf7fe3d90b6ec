import type { ComponentType } from 'react';
import { FailedDialog } from './FailedDialog.tsx';
import { lazyPart } from './lazyPart.tsx';

/**
 * A dialog or a menu that is fetched when it is first opened; when that fails, a dialog says so and offers to try again.
 * @param closeOf what closes it
 */
export function lazyDialog<P extends object>(
  fetchPart: () => Promise<ComponentType<P>>,
  closeOf: (props: P) => () => void,
): ComponentType<P> {
  return lazyPart(fetchPart, ({ retry }, props) => <FailedDialog onRetry={retry} onClose={closeOf(props)} />);
}
