import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useRead } from '../data/read.ts';
import { Alert } from '../ui/layout/Alert.tsx';

/** Says in one line which parts of the gateway do not run; unfolded, why, and what to do. Closed, it stays away until the next load. */
export function OffNotice() {
  const [closed, setClosed] = useState(false);
  const { data } = useRead('system.config', {});
  const off = data?.off ?? [];
  if (closed || off.length === 0) return null;
  return (
    <div className="mx-auto w-full max-w-page px-3 pt-4 sm:px-6 lg:px-8">
      <Alert onClose={() => setClosed(true)}>
        <details className="group">
          <summary className="list-none rounded-xs [&::-webkit-details-marker]:hidden">
            Off on this gateway: {off.map(({ part }) => part).join(', ')}
            <ChevronDown
              size={16}
              aria-hidden
              className="ml-1 inline-block align-[-0.2em] transition-transform group-open:rotate-180"
            />
          </summary>
          {/* On below the cross: the name of a variable is as wide as the smallest phone. */}
          <ul className="mt-1 -mr-6 flex flex-col gap-1 text-sm">
            {off.map(({ part, reason, remedy }) => (
              <li key={part}>
                <strong className="inline-block font-medium first-letter:uppercase">{part}</strong>: {reason} {remedy}
              </li>
            ))}
          </ul>
        </details>
      </Alert>
    </div>
  );
}
