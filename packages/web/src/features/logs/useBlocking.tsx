import type { LogDetails } from '@sallyport/sdk';
import type { HttpService, TcpService } from '@sallyport/sdk/contract';
import { useConfirmed } from '../../data/confirmation.tsx';
import { useConnection } from '../../data/connection.ts';
import { invoke, useWrite } from '../../data/queries.ts';
import { toasts } from '../../state/toasts.ts';

type Service = HttpService | TcpService;

/** Whose services may be meant: all of a node, or all of a domain. */
export type Among = { nodeId: number } | { domain: string };

/** Adds an address to the block list of the service that answered it, after a question. */
export function useBlocking(among: Among) {
  const { client, fail } = useConnection();
  const confirmed = useConfirmed();
  const done = { done: 'Address blocked successfully!' };
  const updates = { http: useWrite('httpService.update', done), tcp: useWrite('tcpService.update', done) };

  return async (address: string, { type, id }: NonNullable<LogDetails['service']>): Promise<void> => {
    const group = `${type}Service` as const;
    const read = ({ nodeId }: Pick<Service, 'nodeId'>): Promise<Service> =>
      invoke(client, `${group}.get`, { params: { nodeId, id } });
    const find = async (): Promise<Service | undefined> => {
      if ('nodeId' in among) return read(among);
      const { data } = await invoke(client, `${group}.listAll`, { query: among });
      return data.find((service) => service.id === id);
    };
    try {
      const service = await find();
      if (service === undefined) return void toasts.show('The service is not there any more.', 'error');
      if (service.blockedIps?.includes(address)) return void toasts.show(`${service.name} blocks ${address} already.`);
      await confirmed({
        row: service,
        question: (shown) => ({
          title: `Block ${address}?`,
          text: 'It gets no answer from this service any more until it is taken off the list of blocked addresses.',
          about: (
            <>
              <strong>{shown.name}</strong>, {shown.publicAccess}
            </>
          ),
          effect: 'Other services stay open to it. All visitors behind one router or proxy have one address.',
          variant: 'danger',
          accept: 'Block the address',
        }),
        act: (shown) =>
          updates[type].mutateAsync({
            params: { nodeId: shown.nodeId, id },
            body: { blockedIps: [...(shown.blockedIps ?? []), address] },
            ifMatch: shown.version,
          }),
        read,
      });
    } catch (error) {
      fail(error, { tell: true });
    }
  };
}
