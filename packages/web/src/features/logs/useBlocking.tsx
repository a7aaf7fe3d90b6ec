import type { LogDetails } from '@sallyport/sdk';
import type { HttpService, TcpService } from '@sallyport/sdk/contract';
import { useConnection } from '../../data/connection.ts';
import { invoke, useWrite } from '../../data/queries.ts';
import { toasts } from '../../state/toasts.ts';

type Service = HttpService | TcpService;

/** Whose services may be meant: all of a node, or all of a domain. */
export type Among = { nodeId: number } | { domain: string };

/** Adds an address to the block list of the service that answered it, and offers to take that back. */
export function useBlocking(among: Among) {
  const connection = useConnection();
  const { client, fail } = connection;
  const updates = { http: useWrite('httpService.update'), tcp: useWrite('tcpService.update') };

  return async (address: string, { type, id }: NonNullable<LogDetails['service']>): Promise<void> => {
    const group = `${type}Service` as const;
    const find = async (): Promise<Service | undefined> => {
      if ('nodeId' in among) return invoke(client, `${group}.get`, { params: { nodeId: among.nodeId, id } });
      const { data } = await invoke(client, `${group}.listAll`, { query: among });
      return data.find((service) => service.id === id);
    };
    let service: Service | undefined;
    try {
      service = await find();
    } catch (error) {
      return fail(error, { tell: true });
    }
    if (service === undefined) return void toasts.show('The service is not there any more.', 'error');
    const { name, nodeId, blockedIps } = service;
    if (blockedIps?.includes(address)) return void toasts.show(`${name} blocks ${address} already.`);
    const params = { nodeId, id };
    // Its failure is told by the policy of the console.
    const blocked = await updates[type]
      .mutateAsync({ params, body: { blockedIps: [...(blockedIps ?? []), address] }, ifMatch: service.version })
      .catch(() => null);
    if (blocked === null) return;
    const done = `${address} is blocked from ${name}.`;
    let undo: typeof import('../../data/undo.tsx');
    try {
      undo = await import('../../data/undo.tsx');
    } catch {
      return void toasts.show(done, 'success');
    }
    const takeBack = () =>
      undo.takeBack(connection, {
        name,
        call: `${group}.update`,
        done: `${address} is not blocked any more.`,
        act: () => invoke(client, `${group}.update`, { params, body: { blockedIps } }, { ifMatch: blocked.version }),
      });
    undo.offerUndo(connection, { done, of: [`${group} ${id}`], undo: takeBack });
  };
}
