import { formatExact, formatRelative } from '@sallyport/sdk';
import type { LastBackup } from '@sallyport/sdk/contract';
import { links, OutsideLink } from '../../data/links.tsx';
import { useRead } from '../../data/queries.ts';
import { useNow } from '../../state/browser.ts';
import { Command } from '../../ui/controls/Command.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Facts } from '../../ui/layout/Facts.tsx';

/** How often "2 hours ago" is counted again. */
const TICK_MS = 60_000;

/** When the gateway was last backed up, and the way to do it. */
export function BackupCard() {
  const { data } = useRead('system.backup', {});
  return (
    <Card
      title="Backup"
      description={
        <>
          One encrypted file, from which the gateway goes on elsewhere.{' '}
          <OutsideLink to={links.backup} className="link">
            How to make, schedule and restore one
          </OutsideLink>
        </>
      }
    >
      {data === undefined ? null : data.last === null ? <NoBackup /> : <Backup last={data.last} />}
    </Card>
  );
}

function NoBackup() {
  return (
    <div className="flex flex-col gap-3">
      <p>None yet. This makes one, on the gateway's machine:</p>
      <MakeBackup />
    </div>
  );
}

function Backup({ last: { at, file, isOld } }: { last: LastBackup }) {
  const age = formatRelative(at, useNow(TICK_MS));
  return (
    <div className="flex flex-col gap-4">
      <Facts
        items={[
          { label: 'Last backup', value: age },
          { label: 'Made', value: formatExact(at) },
          file === null ? { label: 'To', value: 'Standard output' } : { label: 'To', value: file, mono: true },
        ]}
      />
      {isOld ? (
        <Alert type="warning" title={`The last backup was made ${age}`}>
          <div className="flex flex-col gap-2">
            <p>
              It has nothing of what has changed since. Where the nightly timer makes them,{' '}
              <code>systemctl status sallyport-gateway-backup</code> says what keeps it from it. This makes one now:
            </p>
            <MakeBackup />
          </div>
        </Alert>
      ) : null}
    </div>
  );
}

const MakeBackup = () => (
  <Command label="Command that makes a backup" text="sudo sallyport-gateway backup gateway.backup" />
);
