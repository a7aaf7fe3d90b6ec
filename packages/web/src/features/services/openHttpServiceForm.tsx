import type { HttpService, Node, SavedHttpService } from '@sallyport/sdk/contract';
import { lazy } from 'react';
import { openDialog } from '../../state/dialogs.ts';
import { openServiceInfo } from './openServiceInfo.tsx';

const HttpServiceDialog = lazy(() =>
  import('./HttpServiceDialog.tsx').then((module) => ({ default: module.HttpServiceDialog })),
);

/** Opens the form of an HTTP service: with a service it changes that one, else it exposes one. Then shows where it is reached. */
export async function openHttpServiceForm({ node, service }: { node: Node; service?: HttpService }): Promise<void> {
  const saved = await openDialog<SavedHttpService>((close) => (
    <HttpServiceDialog node={node} service={service} onClose={close} />
  ));
  if (saved) await openServiceInfo(saved, node.address);
}
