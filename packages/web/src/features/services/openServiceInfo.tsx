import { openDialog } from '../../state/dialogs.ts';
import type { ShownService } from './ServiceInfoDialog.tsx';
import { lazyDialog } from '../../ui/overlays/lazyDialog.tsx';

const ServiceInfoDialog = lazyDialog(
  async () => (await import('./ServiceInfoDialog.tsx')).ServiceInfoDialog,
  ({ onClose }) => onClose,
);

/** Shows where a service is reached and what is behind it. `nodeAddress`: null where its node is not at hand. */
export async function openServiceInfo(service: ShownService, nodeAddress: string | null): Promise<void> {
  await openDialog((close) => <ServiceInfoDialog service={service} nodeAddress={nodeAddress} onClose={close} />);
}
