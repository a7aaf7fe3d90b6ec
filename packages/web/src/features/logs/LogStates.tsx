import { Link } from '@tanstack/react-router';
import { CircleStop, CloudOff, Funnel, Loader, Pause, Radio, RefreshCw, ScrollText } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { Button, linkButton } from '../../ui/controls/Button.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Badge, type BadgeTone } from '../../ui/layout/Badge.tsx';
import { Card, EmptyState } from '../../ui/layout/Card.tsx';
import { Page } from '../../ui/layout/Page.tsx';
import { type LogStore, useLogFact } from './createLogStore.ts';
import type { LogState } from './useLogStream.ts';

/** A gateway of a version that keeps no logs: why, and what changes it. There is nothing to search, stop or save. */
export const NoLogs = ({ header, reason }: { header: ReactNode; reason: string }) => (
  <Page>
    {header}
    <Card>
      <EmptyState
        icon={<ScrollText size={20} aria-hidden />}
        title="No logs are kept here"
        description={`${reason} Update it to a version that does: its version is in Settings.`}
        action={linkButton(
          <Link to="/settings/$group" params={{ group: 'about' }}>
            About this Gateway
          </Link>,
          {},
        )}
      />
    </Card>
  </Page>
);

type LogEndProps = { state: LogState; subject: string; back: ReactElement; onRestart: () => void };

/** Why no more lines come, and what can be done about it. */
export function LogEnd({ state, subject, back, onRestart }: LogEndProps) {
  if (state.name === 'gone') {
    return (
      <Alert type="warning" title={`${subject} was deleted`} action={linkButton(back, { size: 'sm' })}>
        The log ends here. Its lines below can still be searched and downloaded.
      </Alert>
    );
  }
  if (state.name !== 'stopped') return null;
  return (
    <Alert
      type="error"
      title="The log has stopped"
      action={
        <Button size="sm" onClick={onRestart}>
          Try again
        </Button>
      }
    >
      {state.reason}
    </Alert>
  );
}

/** A log that is there or was. */
type KeptLog = Exclude<LogState, { name: 'none' }>;

const LOOKS: Record<KeptLog['name'], { tone: BadgeTone; icon: ReactNode; text: string }> = {
  connecting: { tone: 'neutral', icon: <Loader aria-hidden />, text: 'Connecting' },
  live: { tone: 'success', icon: <Radio aria-hidden />, text: 'Live' },
  reconnecting: { tone: 'warning', icon: <RefreshCw aria-hidden />, text: 'Reconnecting' },
  gone: { tone: 'danger', icon: <CircleStop aria-hidden />, text: 'Ended' },
  stopped: { tone: 'danger', icon: <CloudOff aria-hidden />, text: 'Stopped' },
};

/** Whether lines come, and whether they are shown; read out when it changes. */
export function LogStateBadge({ state, store }: { state: KeptLog; store: LogStore }) {
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

type LogEmptyProps = {
  store: LogStore;
  /** No more lines come. */
  ended: boolean;
  /** How to bring about a line. */
  hint: ReactNode;
  /** The panel was cleared. */
  cleared: boolean;
  onShowAll: () => void;
  onHistory: () => void;
};

/** The panel without a line: why that is so, and what changes it. */
export function LogEmpty({ store, ended, hint, cleared, onShowAll, onHistory }: LogEmptyProps) {
  const begun = useLogFact(store, store.isBegun);
  const held = useLogFact(store, () => store.size() > 0);
  const sifted = useLogFact(store, store.isSifted);
  // Of very many lines the last may pass the filters.
  if (held ? !sifted : !begun && !ended) return null;
  return (
    <div className="sticky left-0 flex h-full items-center justify-center font-sans text-base">
      {held ? (
        <EmptyState
          icon={<Funnel size={20} aria-hidden />}
          title="No line passes the filters"
          action={<Button onClick={onShowAll}>Show all</Button>}
        />
      ) : ended ? (
        <EmptyState
          icon={<ScrollText size={20} aria-hidden />}
          title="No lines"
          description={cleared ? 'The panel was cleared, and no more lines come.' : undefined}
        />
      ) : (
        <EmptyState
          icon={<ScrollText size={20} aria-hidden />}
          title={cleared ? 'Cleared' : 'No lines yet'}
          description={cleared ? 'New lines appear here as they come.' : hint}
          action={cleared ? <Button onClick={onHistory}>Show the history again</Button> : null}
        />
      )}
    </div>
  );
}
