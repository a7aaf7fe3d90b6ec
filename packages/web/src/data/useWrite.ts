import { groupKey, isApiError, isReplyLost, newIdempotencyKey } from '@sallyport/sdk';
import type { Group } from '@sallyport/sdk/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { toasts } from '../state/toasts.ts';
import { useConnection } from './connection.ts';
import { invoke, type InputNamed, type ReplyNamed, type WriteInput, type WriteName } from './invoke.ts';

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

/** A call that changes something: afterwards whatever it may have changed is read again. Failures follow the console's policy. */
export function useWrite<N extends WriteName>(name: N, { done }: UseWriteOptions = {}) {
  const { client } = useConnection();
  const queries = useQueryClient();
  // Saved once more as it is, a write whose reply was lost is the same one: it must not be carried out twice.
  const lost = useRef<{ said: string; key: string } | null>(null);
  const readAnew = () => {
    for (const group of TOUCHES[name.split('.')[0] as Group] ?? []) {
      void queries.invalidateQueries({ queryKey: groupKey(group) });
    }
  };
  return useMutation<ReplyNamed<N>, Error, WriteInput<N>>({
    mutationKey: [name],
    async mutationFn(given) {
      const { ifMatch, ...input } = given as typeof given & { ifMatch?: number | null };
      const said = JSON.stringify(given);
      const idempotencyKey = lost.current?.said === said ? lost.current.key : newIdempotencyKey();
      const options = { ifMatch: ifMatch ?? undefined, idempotencyKey };
      try {
        const reply = await invoke(client, name, input as unknown as InputNamed<N>, options);
        lost.current = null;
        return reply;
      } catch (error) {
        lost.current = isReplyLost(error) ? { said, key: idempotencyKey } : null;
        throw error;
      }
    },
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
