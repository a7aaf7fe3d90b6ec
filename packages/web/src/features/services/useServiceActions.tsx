import type { HttpService, Node } from '@sallyport/sdk/contract';
import { serviceCan, type Verdict } from '@sallyport/sdk/rules';
import { Link } from '@tanstack/react-router';
import { Eye, EyeOff, Info, PenLine, ScrollText, Server, Trash2 } from 'lucide-react';
import { useWrite } from '../../data/useWrite.ts';
import { confirm } from '../../state/dialogs.ts';
import type { MenuAction } from '../../ui/menuAction.ts';
import { openHttpServiceForm } from './openHttpServiceForm.tsx';
import { openServiceInfo } from './openServiceInfo.tsx';

const unless = (verdict: Verdict) => (verdict.allowed ? {} : { disabled: verdict.reason });

/** What can be done to an HTTP service, as entries of its row's menu. With a node it is on that node's page. */
export function useServiceActions(node: Node | null): (service: HttpService) => MenuAction[] {
  const enable = useWrite('httpService.enable', { done: 'Service exposed successfully!' });
  const disable = useWrite('httpService.disable', { done: 'Service disabled from public access successfully!' });
  const remove = useWrite('httpService.remove', { done: 'Service deleted successfully!' });
  const paramsOf = ({ nodeId, id }: HttpService) => ({ params: { nodeId, id } });

  const open = async (service: HttpService) => {
    const accepted = await confirm({
      title: 'Enable Public Access',
      description: `Are you sure you want to enable public access to ${service.name}?`,
      variant: 'success',
      acceptButtonText: 'Yes, enable public access!',
    });
    if (accepted) enable.mutate(paramsOf(service));
  };
  const shut = async (service: HttpService) => {
    const accepted = await confirm({
      title: 'Disable Public Access',
      description: `Are you sure you want to disable public access to ${service.name}?`,
      variant: 'danger',
      acceptButtonText: 'Yes, disable public access!',
    });
    if (accepted) disable.mutate(paramsOf(service));
  };
  const erase = async (service: HttpService) => {
    const accepted = await confirm({
      title: 'Delete service',
      description: (
        <>
          <p>This action will permanently remove the service from the system. This cannot be undone.</p>
          <p className="mt-2">
            <strong>{service.name}</strong>
          </p>
        </>
      ),
      variant: 'danger',
      acceptButtonText: 'Yes, delete it!',
    });
    if (accepted) remove.mutate(paramsOf(service));
  };

  return (service) => [
    {
      label: 'Info',
      icon: <Info aria-hidden />,
      onSelect: () => void openServiceInfo(service, node?.address ?? null),
    },
    {
      label: 'Logs Monitor',
      icon: <ScrollText aria-hidden />,
      link: (
        <Link
          to="/nodes/$nodeId/$type/$id/logs"
          params={{ nodeId: String(service.nodeId), type: 'http', id: String(service.id) }}
        />
      ),
    },
    node
      ? {
          label: 'Edit Service',
          icon: <PenLine aria-hidden />,
          onSelect: () => void openHttpServiceForm({ node, service }),
        }
      : {
          label: 'Go to node',
          icon: <Server aria-hidden />,
          link: <Link to="/nodes/$id" params={{ id: String(service.nodeId) }} />,
        },
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
