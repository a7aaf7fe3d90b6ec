import { CircleStop, CloudOff, Loader, Pause, Radio, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, type BadgeTone } from '../../ui/layout/Badge.tsx';
import type { LogStore } from './createLogStore.ts';
import { useLogFact } from './useLogFact.ts';
import type { LogState } from './useLogStream.ts';

const LOOKS: Record<LogState['name'], { tone: BadgeTone; icon: ReactNode; text: string }> = {
  connecting: { tone: 'neutral', icon: <Loader aria-hidden />, text: 'Connecting' },
  live: { tone: 'success', icon: <Radio aria-hidden />, text: 'Live' },
  reconnecting: { tone: 'warning', icon: <RefreshCw aria-hidden />, text: 'Reconnecting' },
  gone: { tone: 'danger', icon: <CircleStop aria-hidden />, text: 'Ended' },
  stopped: { tone: 'danger', icon: <CloudOff aria-hidden />, text: 'Stopped' },
};

/** Whether lines come, and whether they are shown; read out when it changes. */
export function LogStateBadge({ state, store }: { state: LogState; store: LogStore }) {
  const paused = useLogFact(store, store.isPaused);
  const { tone, icon, text } = LOOKS[state.name];
  return (
    <output className="flex gap-1.5">
      {paused && state.name === 'live' ? null : (
        <Badge tone={tone} icon={icon}>
          {text}
        </Badge>
      )}
      {paused ? (
        <Badge tone="accent" icon={<Pause aria-hidden />}>
          Paused
        </Badge>
      ) : null}
    </output>
  );
}
