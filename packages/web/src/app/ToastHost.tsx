import { useStore } from '../state/createStore.ts';
import { toasts } from '../state/toasts.ts';
import { ToastList } from '../ui/overlays/ToastList.tsx';

/** Draws the toasts. */
export function ToastHost() {
  return <ToastList toasts={useStore(toasts)} onClose={(id) => toasts.close(Number(id))} onHoldChange={toasts.hold} />;
}
