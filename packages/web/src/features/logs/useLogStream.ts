import type { ApiError, LogQuery, StreamState } from '@sallyport/sdk';
import { LOG_BACKLOG_MAX_LINES } from '@sallyport/sdk/contract';
import { useRef, useState } from 'react';
import { useConnection } from '../../data/connection.ts';
import { useStream } from '../../data/useStream.ts';
import type { LogStore } from './createLogStore.ts';

/** Where the stream of a log stands, as the administrator should know it. */
export type LogState =
  | { name: 'connecting' | 'live' | 'reconnecting' }
  /** The domain or service is not there; `wasThere`: it was while the screen was open. */
  | { name: 'gone'; wasThere: boolean }
  | { name: 'stopped'; reason: string }
  /** The gateway keeps no logs; another try finds the same. */
  | { name: 'none'; reason: string };

/** The gateway has no logs until it is updated (HTTP 501). */
const NOT_BUILT = 501;
const GONE: LogState = { name: 'gone', wasThere: false };

function stateOf(state: StreamState, { wasOpen, error }: { wasOpen: boolean; error: ApiError | null }): LogState {
  if (state === 'open') return { name: 'live' };
  if (state === 'closed') {
    if (error?.kind === 'missing') return wasOpen ? { name: 'gone', wasThere: true } : GONE;
    const reason = error?.message ?? 'The connection was closed.';
    return { name: error?.status === NOT_BUILT && !wasOpen ? 'none' : 'stopped', reason };
  }
  return { name: wasOpen || state === 'waiting' ? 'reconnecting' : 'connecting' };
}

/** Whether no more lines come by themselves. */
export const hasEnded = ({ name }: LogState): boolean => name === 'gone' || name === 'stopped' || name === 'none';

/** Puts the lines of a log into the store as they come. `restart` has them come again, history first. */
export function useLogStream(query: LogQuery, store: LogStore, capacity: number) {
  const { client } = useConnection();
  const [state, setState] = useState<LogState>({ name: 'connecting' });
  const wasOpen = useRef(false);
  const whole: LogQuery = { ...query, lines: Math.min(capacity, LOG_BACKLOG_MAX_LINES) };

  const { resume: restart } = useStream(
    JSON.stringify(whole),
    (options) => {
      wasOpen.current = false;
      return client.log.watch({ query: whole }, options);
    },
    {
      onEvent: store.append,
      onState(next, { resumed, error }) {
        if (next === 'open') {
          if (!wasOpen.current) store.reset();
          // It could not go on where it stopped and begins with history: newer lines than those that are held.
          else if (!resumed && store.size() > 0) store.markGap();
          wasOpen.current = true;
        }
        setState(stateOf(next, { wasOpen: wasOpen.current, error }));
      },
    },
  );
  return { state, restart };
}
