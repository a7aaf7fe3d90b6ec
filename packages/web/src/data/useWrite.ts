import { groupKey } from '@sallyport/sdk';
import type { Group } from '@sallyport/sdk/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toasts } from '../state/toasts.ts';
import { useConnection } from './connection.ts';
import { invoke, type InputNamed, type ReplyNamed, type WriteName } from './invoke.ts';

/** What else a change of a group changes: deleting a node takes its services along, a service may bring a domain. */
const TOUCHES: Partial<Record<Group, readonly Group[]>> = {
  node: ['node', 'httpService', 'tcpService', 'token'],
  domain: ['domain', 'httpService', 'tcpService'],
  httpService: ['httpService', 'domain'],
  tcpService: ['tcpService', 'domain'],
  token: ['token'],
};

type UseWriteOptions = {
  /** The toast of success. */
  done?: string;
};

/** A call that changes something: afterwards whatever it may have changed is read anew. Failures follow the console's policy. */
export function useWrite<N extends WriteName>(name: N, { done }: UseWriteOptions = {}) {
  const { client } = useConnection();
  const queries = useQueryClient();
  return useMutation<ReplyNamed<N>, Error, InputNamed<N>>({
    mutationKey: [name],
    mutationFn: (input) => invoke(client, name, input),
    onSuccess() {
      if (done) toasts.show(done, 'success');
      for (const group of TOUCHES[name.split('.')[0] as Group] ?? []) {
        void queries.invalidateQueries({ queryKey: groupKey(group) });
      }
    },
  });
}
