import type { Node, SavedHttpService, SavedTcpService, ServiceType } from '@sallyport/sdk/contract';
import { openDialog } from '../../state/dialogs.ts';
import { openServiceInfo } from './openServiceInfo.tsx';
import type { Service } from './serviceKinds.ts';
import { lazyDialog } from '../../ui/overlays/lazyDialog.tsx';

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
