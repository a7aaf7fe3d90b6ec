import type { StreamState } from '@sallyport/sdk';
import type { LogQuery } from '@sallyport/sdk/contract';
import type { ReactNode } from 'react';
import { useTitle } from '../../state/useTitle.ts';
import { Badge, type BadgeTone } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { LogLines } from './LogLines.tsx';
import { useLogLines } from './useLogLines.ts';

const STATES: Record<StreamState, { tone: BadgeTone; text: string }> = {
  connecting: { tone: 'neutral', text: 'Connecting' },
  open: { tone: 'success', text: 'Live' },
  waiting: { tone: 'warning', text: 'Reconnecting' },
  closed: { tone: 'danger', text: 'Stopped' },
};

type LogScreenProps = {
  breadcrumb: ReactNode;
  /** Whose lines, for people. */
  subject: string;
  query: LogQuery;
};

/** The lines of a domain or a service as they come. */
export function LogScreen({ breadcrumb, subject, query }: LogScreenProps) {
  useTitle(`Logs of ${subject}`);
  const { view, state, resume } = useLogLines(query);
  const { tone, text } = STATES[state];
  return (
    <Page fill>
      <PageHeader
        breadcrumb={breadcrumb}
        title="Real Time Logs"
        description={subject}
        badges={
          <output>
            <Badge tone={tone}>{text}</Badge>
          </output>
        }
        actions={
          state === 'closed' ? (
            <Button size="sm" onClick={resume}>
              Resume
            </Button>
          ) : null
        }
      />
      <LogLines view={view} label={`Real time logs of ${subject}`} />
    </Page>
  );
}
