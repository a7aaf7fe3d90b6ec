import type { Node, SavedHttpService, SavedTcpService, ServiceType } from '@sallyport/sdk/contract';
import { openDialog } from '../../state/dialogs.ts';
import { lazyDialog } from '../../ui/overlays/lazyPart.tsx';
import type { ShownService } from './ServiceInfoDialog.tsx';
import type { Service } from './serviceKinds.ts';

const HttpServiceDialog = lazyDialog(
  async () => (await import('./HttpServiceDialog.tsx')).HttpServiceDialog,
  ({ onClose }) => onClose,
);
const TcpServiceDialog = lazyDialog(
  async () => (await import('./TcpServiceDialog.tsx')).TcpServiceDialog,
  ({ onClose }) => onClose,
);

/**
 * Opens the form of a node's service, then shows where it is reached.
 * @param what the service to change, or the kind of a new one
 */
export async function openServiceForm(node: Node, what: Service | ServiceType): Promise<void> {
  const saved = await openDialog<SavedHttpService | SavedTcpService>((close) => {
    const given = { node, onClose: close };
    if (what === 'http') return <HttpServiceDialog {...given} />;
    if (what === 'tcp') return <TcpServiceDialog {...given} />;
    return 'proto' in what ? (
      <TcpServiceDialog {...given} service={what} />
    ) : (
      <HttpServiceDialog {...given} service={what} />
    );
  });
  if (saved) await openServiceInfo(saved, node.address);
}

const ServiceInfoDialog = lazyDialog(
  async () => (await import('./ServiceInfoDialog.tsx')).ServiceInfoDialog,
  ({ onClose }) => onClose,
);

/** Shows where a service is reached and what is behind it. `nodeAddress`: null where its node is not at hand. */
export async function openServiceInfo(service: ShownService, nodeAddress: string | null): Promise<void> {
  await openDialog((close) => <ServiceInfoDialog service={service} nodeAddress={nodeAddress} onClose={close} />);
}
