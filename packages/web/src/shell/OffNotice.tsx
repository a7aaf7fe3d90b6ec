import { useState } from 'react';
import { useRead } from '../data/read.ts';
import { Alert } from '../ui/Alert.tsx';

/** Says which parts of the gateway do not run, why, and what turns them on. Closed, it stays away until the next load. */
export function OffNotice() {
  const [closed, setClosed] = useState(false);
  const { data } = useRead('system.config', {});
  const off = data?.off ?? [];
  if (closed || off.length === 0) return null;
  return (
    <div className="mx-auto w-full max-w-page px-3 pt-4 sm:px-6 lg:px-8">
      <Alert type="warning" title="Part of this gateway is off" onClose={() => setClosed(true)}>
        <ul className="flex flex-col gap-1">
          {off.map(({ part, reason, remedy }) => (
            <li key={part}>
              {part}: {reason} {remedy}
            </li>
          ))}
        </ul>
      </Alert>
    </div>
  );
}
