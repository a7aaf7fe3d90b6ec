import type { StreamState, StreamStateDetails } from '@sallyport/sdk';
import type { Io } from '../io.ts';

/** Tells on standard error when a stream breaks off, and when it is there again. */
export function streamNews({ say }: Pick<Io, 'say'>): (state: StreamState, details: StreamStateDetails) => void {
  let isLost = false;
  return (state, { resumed }) => {
    if (state === 'open') {
      if (isLost) say(resumed ? 'Connected again.' : 'Connected again; the last lines may repeat.');
      isLost = false;
    }
    if (state === 'waiting') {
      if (!isLost) say('The connection broke off; connecting again every second.');
      isLost = true;
    }
  };
}
