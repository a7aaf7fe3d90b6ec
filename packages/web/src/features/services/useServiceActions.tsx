import type { Node, SavedHttpService, SavedTcpService, ServiceType } from '@sallyport/sdk/contract';
import { serviceCan, type Verdict } from '@sallyport/sdk/rules';
import { Link } from '@tanstack/react-router';
import { Eye, EyeOff, Info, PenLine, ScrollText, Server, Trash2 } from 'lucide-react';
import { useConfirmed } from '../../data/confirmation.tsx';
import { type Connection, useConnection } from '../../data/connection.ts';
import { invoke, useWrite } from '../../data/queries.ts';
import { useSwitch } from '../../data/useSwitch.ts';
import { openDialog } from '../../state/dialogs.ts';
import { lazyDialog } from '../../ui/overlays/lazyPart.tsx';
import type { MenuAction } from '../../ui/overlays/MenuPopup.tsx';
import type { ShownService } from './ServiceInfoDialog.tsx';
import { type Service, serviceKinds } from './services.ts';

const unless = (verdict: Verdict) => (verdict.allowed ? {} : { disabled: verdict.reason });

/**
 * What can be done to a service, as entries of its row's menu. With a node it is on that node's page.
 * @param withEdit it can be edited also where its node is not at hand, which is then read first
 * @param onDeleted called once it was deleted from here
 */
export function useServiceActions(
  type: ServiceType,
  node: Node | null,
  withEdit = node !== null,
  onDeleted?: () => void,
): (service: Service) => MenuAction[] {
  const { group } = serviceKinds[type];
  const connection = useConnection();
  const { client } = connection;
  const edit = useEditService(node);
  const confirmed = useConfirmed();
  const turn = useSwitch(group, {
    enable: 'Service exposed successfully!',
    disable: 'Service disabled from public access successfully!',
  });
  const remove = useWrite(`${group}.remove`, { done: 'Service deleted successfully!' });
  const paramsOf = ({ nodeId, id }: Service) => ({ params: { nodeId, id } });

  const read = ({ nodeId, id }: Service): Promise<Service> =>
    invoke(client, `${group}.get`, { params: { nodeId, id } });

  const about = ({ name, publicAccess }: Service) => (
    <>
      <strong>{name}</strong>, {publicAccess}
    </>
  );

  const open = (service: Service) =>
    confirmed({
      row: service,
      question: (shown) => ({
        title: 'Enable Public Access',
        text: 'Are you sure you want to enable public access to this service?',
        about: about(shown),
        variant: 'info',
        accept: 'Yes, enable public access!',
      }),
      act: (shown) => turn('enable', shown, paramsOf(shown).params, shown.version),
      read,
    });
  const shut = (service: Service) =>
    confirmed({
      row: service,
      question: (shown) => ({
        title: 'Disable Public Access',
        text: 'Are you sure you want to disable public access to this service?',
        about: about(shown),
        effect: 'Open connections are cut.',
        variant: 'warning',
        accept: 'Yes, disable public access!',
      }),
      act: (shown) => turn('disable', shown, paramsOf(shown).params, null),
    });
  const erase = (service: Service) =>
    confirmed({
      row: service,
      question: (shown) => ({
        title: 'Delete service',
        text: 'This action will permanently remove the service from the system. This cannot be undone.',
        about: about(shown),
        effect: 'Open connections are cut.',
        variant: 'danger',
        accept: 'Yes, delete it!',
      }),
      async act(shown) {
        await remove.mutateAsync({ ...paramsOf(shown), ifMatch: shown.version });
        onDeleted?.();
        void offerDomainRemoval(connection, [shown]);
      },
      read,
    });

  return (service) => [
    {
      label: 'Info',
      icon: <Info aria-hidden />,
      onSelect: () =>
        void openServiceInfo(
          service,
          node?.address ?? null,
          serviceCan.enable(service).allowed ? () => void open(service) : undefined,
        ),
    },
    {
      label: 'Logs Monitor',
      icon: <ScrollText aria-hidden />,
      link: (
        <Link
          to="/nodes/$nodeId/$type/$id/logs"
          params={{ nodeId: String(service.nodeId), type, id: String(service.id) }}
        />
      ),
    },
    ...(withEdit ? [{ label: 'Edit Service', icon: <PenLine aria-hidden />, onSelect: () => void edit(service) }] : []),
    ...(node
      ? []
      : [
          {
            label: 'Go to node',
            icon: <Server aria-hidden />,
            link: <Link to="/nodes/$id" params={{ id: String(service.nodeId) }} />,
          },
        ]),
    service.enabled
      ? {
          label: 'Disable Access',
          icon: <EyeOff aria-hidden />,
          onSelect: () => void shut(service),
          ...unless(serviceCan.disable(service)),
        }
      : {
          label: 'Enable Access',
          icon: <Eye aria-hidden />,
          onSelect: () => void open(service),
          ...unless(serviceCan.enable(service)),
        },
    {
      label: 'Delete Service',
      icon: <Trash2 aria-hidden />,
      danger: true,
      separated: true,
      onSelect: () => void erase(service),
      ...unless(serviceCan.remove(service)),
    },
  ];
}

/** After services were deleted: offers to delete their domains as well, where these were the last. */
export const offerDomainRemoval = async (connection: Connection, deleted: readonly Service[]): Promise<void> =>
  (await import('../../data/lastService.tsx')).offerDomainRemoval(connection, deleted);

/** Opens the form of a service, at the field that is named; its node is read first where it is not at hand. */
export function useEditService(node: Node | null): (service: Service, initialField?: string) => Promise<void> {
  const { client, fail } = useConnection();
  return async (service, initialField) => {
    try {
      const at = node ?? (await invoke(client, 'node.get', { params: { id: service.nodeId } }));
      await openServiceForm(at, service, initialField);
    } catch (error) {
      fail(error, { tell: true });
    }
  };
}

const HttpServiceDialog = lazyDialog(async () => (await import('./HttpServiceDialog.tsx')).HttpServiceDialog);
const TcpServiceDialog = lazyDialog(async () => (await import('./TcpServiceDialog.tsx')).TcpServiceDialog);

/**
 * Opens the form of a node's service, then shows where it is reached.
 * @param what the service to change, or the kind of a new one
 * @param initialField where the focus goes; else to the first field
 */
export async function openServiceForm(node: Node, what: Service | ServiceType, initialField?: string): Promise<void> {
  const saved = await openDialog<SavedHttpService | SavedTcpService>((close) => {
    const given = { node, initialField, onClose: close };
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

/** The gateway's own machine. */
const LOCAL_ID = 1;

/** Opens the form of a new service of the gateway's own machine, and tells where that failed. */
export function useExposeLocal(): (type: ServiceType) => Promise<void> {
  const { client, fail } = useConnection();
  return async (type) => {
    try {
      await openLocalServiceForm(client, type);
    } catch (error) {
      fail(error, { tell: true });
    }
  };
}

/** Opens that form. */
export async function openLocalServiceForm(client: Connection['client'], type: ServiceType): Promise<void> {
  await openServiceForm(await invoke(client, 'node.get', { params: { id: LOCAL_ID } }), type);
}

const ServiceInfoDialog = lazyDialog(async () => (await import('./ServiceInfoDialog.tsx')).ServiceInfoDialog);

/**
 * Shows where a service is reached and what is behind it. `nodeAddress`: null where its node is not at hand; `onEnable`
 * opens it to visitors.
 */
export async function openServiceInfo(
  service: ShownService,
  nodeAddress: string | null,
  onEnable?: () => void,
): Promise<void> {
  await openDialog((close) => (
    <ServiceInfoDialog service={service} nodeAddress={nodeAddress} onEnable={onEnable} onClose={close} />
  ));
}
