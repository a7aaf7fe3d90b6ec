import { type CreatedJoinKey, type Node, SERVICE_PAGE_SIZE } from '@sallyport/sdk/contract';
import { nodeCan } from '@sallyport/sdk/rules';
import { Link } from '@tanstack/react-router';
import { Download, Eye, Globe, PenLine, Plug, Trash2, Unplug, Waypoints } from 'lucide-react';
import { Dependents, useConfirmed } from '../../data/confirmation.tsx';
import { useConnection } from '../../data/connection.ts';
import { useUnavailable } from '../../data/gateway.ts';
import { invoke, useRead, useWrite } from '../../data/queries.ts';
import { useSwitch } from '../../data/useSwitch.ts';
import { openDialog } from '../../state/dialogs.ts';
import { lazyDialog } from '../../ui/overlays/lazyPart.tsx';
import type { MenuAction } from '../../ui/overlays/MenuPopup.tsx';
import { openServiceForm } from '../services/useServiceActions.tsx';
import { useConfiguration } from './configuration.ts';
import type { SavedNode } from './NodeFormDialog.tsx';

/** What can be done to a node, as entries of a menu: all of them for a row of the list, some for the node's own page. */
type NodeActions = {
  row: (node: Node) => MenuAction[];
  page: (node: Node) => MenuAction[];
  /** One is being deleted, or was. */
  isDeleting: boolean;
};

/** @param onDeleted called once a node was deleted from here */
export function useNodeActions(onDeleted?: () => void): NodeActions {
  const { client } = useConnection();
  const confirmed = useConfirmed();
  const turn = useSwitch('node', {
    enable: 'Node connected successfully!',
    disable: 'Node disconnected successfully!',
  });
  const remove = useWrite('node.remove', { done: 'Node deleted successfully!' });
  const tunnelOff = useUnavailable('tunnel');
  const configuration = useConfiguration();

  const read = ({ id }: Node) => invoke(client, 'node.get', { params: { id } });

  const connect = (node: Node) =>
    confirmed({
      row: node,
      question: ({ name }) => ({
        title: 'Connect node',
        text: 'Are you sure you want to keep connected this node?',
        about: <strong>{name}</strong>,
        variant: 'info',
        accept: 'Yes, connect!',
      }),
      act: (shown) => turn('enable', shown, { id: shown.id }, shown.version),
      read,
    });
  const disconnect = (node: Node) =>
    confirmed({
      row: node,
      question: ({ name }) => ({
        title: 'Disconnect node',
        text: 'Are you sure you want to keep disconnected this node?',
        about: (
          <>
            <strong>{name}</strong>: until it is connected again, its services answer 503.
          </>
        ),
        variant: 'warning',
        accept: 'Yes, disconnect!',
      }),
      act: (shown) => turn('disable', shown, { id: shown.id }, null),
    });
  const erase = (node: Node) =>
    confirmed({
      row: node,
      question: (shown) => ({
        title: 'Delete node',
        text: 'Are you sure you want to delete this node? This action cannot be undone.',
        about: <NodeDependents node={shown} />,
        variant: 'danger',
        accept: 'Yes, delete it!',
      }),
      act: ({ id, version }) => remove.mutateAsync({ params: { id }, ifMatch: version }).then(onDeleted),
      read,
    });

  const when = (allowed: boolean, action: MenuAction) => (allowed ? [action] : []);
  /** What may be changed about the node itself. */
  const own = (node: Node) => ({
    edit: when(nodeCan.update(node).allowed, {
      label: 'Edit Node',
      icon: <PenLine aria-hidden />,
      onSelect: () => void openNodeForm(node),
    }),
    download: when(nodeCan.download(node).allowed, {
      label: 'Download Config',
      icon: <Download aria-hidden />,
      ...(tunnelOff ? { disabled: 'The tunnel is off.' } : { onSelect: () => void configuration.save(node.id) }),
    }),
    toggle: when(
      nodeCan.enable(node).allowed,
      node.enabled
        ? { label: 'Disconnect', icon: <Unplug aria-hidden />, onSelect: () => void disconnect(node) }
        : { label: 'Connect', icon: <Plug aria-hidden />, onSelect: () => void connect(node) },
    ),
    erased: when(nodeCan.remove(node).allowed, {
      label: 'Delete Node',
      icon: <Trash2 aria-hidden />,
      danger: true,
      separated: true,
      onSelect: () => void erase(node),
    }),
  });

  return {
    row(node) {
      const { edit, download, toggle, erased } = own(node);
      return [
        {
          label: 'View Node Details',
          icon: <Eye aria-hidden />,
          link: <Link to="/nodes/$id" params={{ id: String(node.id) }} />,
        },
        ...edit,
        { label: 'Expose HTTP', icon: <Globe aria-hidden />, onSelect: () => void openServiceForm(node, 'http') },
        { label: 'Expose TCP', icon: <Waypoints aria-hidden />, onSelect: () => void openServiceForm(node, 'tcp') },
        ...download,
        ...toggle,
        ...erased,
      ];
    },
    page: (node) => Object.values(own(node)).flat(),
    isDeleting: remove.isPending || remove.isSuccess,
  };
}

/** What goes with a node when it is deleted, by name. */
function NodeDependents({ node: { id, name } }: { node: Node }) {
  const query = { limit: SERVICE_PAGE_SIZE };
  const { data: http } = useRead('httpService.list', { params: { nodeId: id }, query });
  const { data: tcp } = useRead('tcpService.list', { params: { nodeId: id }, query });
  const { data: tokens } = useRead('token.list', { params: { id }, query });
  return (
    <>
      <strong>{name}</strong>: its services and access tokens go with it. Its domains stay, and other nodes can take
      those that are not reserved.
      <Dependents of={{ 'HTTP services': http, 'TCP services': tcp, 'Access tokens': tokens }} />
    </>
  );
}

const NodeFormDialog = lazyDialog(async () => (await import('./NodeFormDialog.tsx')).NodeFormDialog);
const fetchReady = () => import('./NodeReadyDialog.tsx');
const NodeReadyDialog = lazyDialog(async () => (await fetchReady()).NodeReadyDialog);

/**
 * Opens the node form: with a node it changes that one, else it creates one and then shows its token, this once.
 * Resolves to whether something was saved.
 */
export async function openNodeForm(node?: Node): Promise<boolean> {
  // The token is shown once: what shows it is here before the node is made, also when the gateway is updated meanwhile.
  if (node === undefined) fetchReady().catch(() => undefined);
  const saved = await openDialog<SavedNode>((close) => <NodeFormDialog node={node} onClose={close} />);
  if (saved?.token !== undefined) {
    const { id, name, token, allowInternet } = saved;
    await openDialog((close) => <NodeReadyDialog node={{ id, name, token, allowInternet }} onClose={close} />);
  }
  return saved !== null;
}

const fetchJoinKeys = () => import('./JoinKeyDialogs.tsx');
const JoinKeyFormDialog = lazyDialog(async () => (await fetchJoinKeys()).JoinKeyFormDialog);
const JoinKeyResultDialog = lazyDialog(async () => (await fetchJoinKeys()).JoinKeyResultDialog);

/** Opens the form of a new join key, and then shows its code, this once. */
export async function openJoinKeyForm(): Promise<void> {
  const created = await openDialog<CreatedJoinKey>((close) => <JoinKeyFormDialog onClose={close} />);
  if (created) await openDialog((close) => <JoinKeyResultDialog created={created} onClose={close} />);
}
