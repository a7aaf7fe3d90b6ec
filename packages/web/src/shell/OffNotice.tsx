import { useState } from 'react';
import { useRead } from '../data/read.ts';
import { Alert } from '../ui/Alert.tsx';

/** Says in one line which parts of the gateway do not run; unfolded, why, and what to do. Closed, it stays away until the next load. */
export function OffNotice() {
  const [closed, setClosed] = useState(false);
  const { data } = useRead('system.config', {});
  const off = data?.off ?? [];
  if (closed || off.length === 0) return null;
  return (
    <div className="mx-auto w-full max-w-page px-3 pt-4 sm:px-6 lg:px-8">
      <Alert onClose={() => setClosed(true)}>
        <details>
          <summary>Off on this gateway: {off.map(({ part }) => part).join(', ')}</summary>
          <ul className="mt-1 flex flex-col gap-1">
            {off.map(({ part, reason, remedy }) => (
              <li key={part}>
                <strong className="font-medium">{part}</strong>: {reason} {remedy}
              </li>
            ))}
          </ul>
        </details>
      </Alert>
    </div>
  );
}
