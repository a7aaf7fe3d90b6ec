import type { Node, SavedHttpService, SavedTcpService, ServiceType } from '@sallyport/sdk/contract';
import { lazy } from 'react';
import { openDialog } from '../../state/dialogs.ts';
import { openServiceInfo } from './openServiceInfo.tsx';
import type { Service } from './serviceKinds.ts';

const HttpServiceDialog = lazy(() =>
  import('./HttpServiceDialog.tsx').then((module) => ({ default: module.HttpServiceDialog })),
);
const TcpServiceDialog = lazy(() =>
  import('./TcpServiceDialog.tsx').then((module) => ({ default: module.TcpServiceDialog })),
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
