import { type Node, SERVICE_PAGE_SIZE } from '@sallyport/sdk/contract';
import { nodeCan } from '@sallyport/sdk/rules';
import { Link } from '@tanstack/react-router';
import { Download, Eye, Globe, PenLine, Plug, Trash2, Unplug, Waypoints } from 'lucide-react';
import { useConnection } from '../../data/connection.ts';
import { invoke, useRead, useWrite } from '../../data/queries.ts';
import { namesOf, useConfirmed } from '../../data/confirmation.tsx';
import { useTunnelOff } from '../../data/gateway.ts';
import { confirm, openDialog } from '../../state/dialogs.ts';
import type { MenuAction } from '../../ui/overlays/MenuPopup.tsx';
import { openServiceForm } from '../services/useServiceActions.tsx';
import { useConfiguration } from './joining.tsx';
import type { SavedNode } from './NodeFormDialog.tsx';
import { lazyDialog } from '../../ui/overlays/lazyPart.tsx';

/** What can be done to a node, as entries of a menu: all of them for a row of the list, some for the node's own page. */
type NodeActions = { row: (node: Node) => MenuAction[]; page: (node: Node) => MenuAction[] };

export function useNodeActions(): NodeActions {
  const { client } = useConnection();
  const confirmed = useConfirmed();
  const enable = useWrite('node.enable', { done: 'Node connected successfully!' });
  const disable = useWrite('node.disable', { done: 'Node disconnected successfully!' });
  const remove = useWrite('node.remove', { done: 'Node deleted successfully!' });
  const tunnelOff = useTunnelOff();
  const configuration = useConfiguration();

  const read = ({ id }: Node) => invoke(client, 'node.get', { params: { id } });

  const connect = (node: Node) =>
    confirmed({
      row: node,
      question: (shown) => ({
        title: 'Connect node',
        description: <About node={shown} text="Are you sure you want to keep connected this node?" />,
        variant: 'success',
        acceptButtonText: 'Yes, connect!',
      }),
      act: ({ id, version }) => enable.mutateAsync({ params: { id }, ifMatch: version }),
      read,
    });
  const disconnect = async (node: Node) => {
    const accepted = await confirm({
      title: 'Disconnect node',
      description: (
        <About
          node={node}
          text="Are you sure you want to keep disconnected this node?"
          effect="until it is connected again, its services answer 503."
        />
      ),
      variant: 'danger',
      acceptButtonText: 'Yes, disconnect!',
    });
    // To close it is meant whatever it has become.
    if (accepted) disable.mutate({ params: { id: node.id }, ifMatch: null });
  };
  const erase = (node: Node) =>
    confirmed({
      row: node,
      question: (shown) => ({
        title: 'Delete node',
        description: (
          <>
            <p>Are you sure you want to delete this node? This action cannot be undone.</p>
            <NodeDependents node={shown} />
          </>
        ),
        variant: 'danger',
        acceptButtonText: 'Yes, delete it!',
      }),
      act: ({ id, version }) => remove.mutateAsync({ params: { id }, ifMatch: version }),
      read,
    });

  const view = (node: Node): MenuAction => ({
    label: 'View Node Details',
    icon: <Eye aria-hidden />,
    link: <Link to="/nodes/$id" params={{ id: String(node.id) }} />,
  });
  const edit = (node: Node): MenuAction => ({
    label: 'Edit Node',
    icon: <PenLine aria-hidden />,
    onSelect: () => void openNodeForm(node),
  });
  const exposeHttp = (node: Node): MenuAction => ({
    label: 'Expose HTTP',
    icon: <Globe aria-hidden />,
    onSelect: () => void openServiceForm(node, 'http'),
  });
  const exposeTcp = (node: Node): MenuAction => ({
    label: 'Expose TCP',
    icon: <Waypoints aria-hidden />,
    onSelect: () => void openServiceForm(node, 'tcp'),
  });
  const download = (node: Node): MenuAction => ({
    label: 'Download Config',
    icon: <Download aria-hidden />,
    ...(tunnelOff ? { disabled: tunnelOff } : { onSelect: () => void configuration.save(node.id) }),
  });
  const toggle = (node: Node): MenuAction =>
    node.enabled
      ? { label: 'Disconnect', icon: <Unplug aria-hidden />, onSelect: () => void disconnect(node) }
      : { label: 'Connect', icon: <Plug aria-hidden />, onSelect: () => void connect(node) };
  const deletion = (node: Node): MenuAction => ({
    label: 'Delete Node',
    icon: <Trash2 aria-hidden />,
    danger: true,
    separated: true,
    onSelect: () => void erase(node),
  });
  const when = (allowed: boolean, action: MenuAction) => (allowed ? [action] : []);

  return {
    row: (node) => [
      view(node),
      ...when(nodeCan.update(node).allowed, edit(node)),
      exposeHttp(node),
      exposeTcp(node),
      ...when(nodeCan.download(node).allowed, download(node)),
      ...when(nodeCan.enable(node).allowed, toggle(node)),
      ...when(nodeCan.remove(node).allowed, deletion(node)),
    ],
    page: (node) => [
      ...when(nodeCan.update(node).allowed, edit(node)),
      ...when(nodeCan.download(node).allowed, download(node)),
      ...when(nodeCan.enable(node).allowed, toggle(node)),
    ],
  };
}

/** The question, then which node is meant and what goes with it. */
function About({ node, text, effect }: { node: Node; text: string; effect?: string }) {
  return (
    <>
      <p>{text}</p>
      <p className="mt-2">
        <strong>{node.name}</strong>
        {effect ? `: ${effect}` : null}
      </p>
    </>
  );
}

/** What goes with a node when it is deleted, by name. */
function NodeDependents({ node: { id, name } }: { node: Node }) {
  const query = { limit: SERVICE_PAGE_SIZE };
  const http = useRead('httpService.list', { params: { nodeId: id }, query });
  const tcp = useRead('tcpService.list', { params: { nodeId: id }, query });
  const tokens = useRead('token.list', { params: { id }, query });
  const lines = [
    { kind: 'HTTP services', names: namesOf(http.data) },
    { kind: 'TCP services', names: namesOf(tcp.data) },
    { kind: 'Access tokens', names: namesOf(tokens.data) },
  ].filter(({ names }) => names !== '');
  return (
    <>
      <p className="mt-2">
        <strong>{name}</strong>: its services and access tokens go with it.
      </p>
      <ul className="mt-1 list-disc pl-5 empty:hidden">
        {lines.map(({ kind, names }) => (
          <li key={kind}>
            {kind}: {names}
          </li>
        ))}
      </ul>
    </>
  );
}

const NodeFormDialog = lazyDialog(
  async () => (await import('./NodeFormDialog.tsx')).NodeFormDialog,
  ({ onClose }) => onClose,
);
const fetchReady = () => import('./NodeReadyDialog.tsx');
const NodeReadyDialog = lazyDialog(
  async () => (await fetchReady()).NodeReadyDialog,
  ({ onClose }) => onClose,
);

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
