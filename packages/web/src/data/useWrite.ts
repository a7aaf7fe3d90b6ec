import { groupKey, isApiError } from '@sallyport/sdk';
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
  /** The version that is on the screen: what somebody else has changed meanwhile is not overwritten. */
  ifMatch?: number | undefined;
};

/** A call that changes something: afterwards whatever it may have changed is read anew. Failures follow the console's policy. */
export function useWrite<N extends WriteName>(name: N, { done, ifMatch }: UseWriteOptions = {}) {
  const { client } = useConnection();
  const queries = useQueryClient();
  const readAnew = () => {
    for (const group of TOUCHES[name.split('.')[0] as Group] ?? []) {
      void queries.invalidateQueries({ queryKey: groupKey(group) });
    }
  };
  return useMutation<ReplyNamed<N>, Error, InputNamed<N>>({
    mutationKey: [name],
    mutationFn: (input) => invoke(client, name, input, { ifMatch }),
    onSuccess() {
      if (done) toasts.show(done, 'success');
      readAnew();
    },
    onError(error) {
      // Somebody else has changed it, or removed it: what is on the screen is not so any more.
      if (isApiError(error, 'conflict') || isApiError(error, 'missing')) readAnew();
    },
  });
}
