import type { StreamState } from '@sallyport/sdk';
import { Button } from '../ui/controls/Button.tsx';

/** Says next to a title that what is shown stays as it is by now, and lets it go on; nothing while updates come. */
export function LiveStopped({ stream, resume }: { stream: StreamState; resume: () => void }) {
  return stream === 'closed' ? (
    <output className="inline-flex items-center gap-2 rounded-sm bg-warning-soft py-0.5 pr-0.5 pl-2 text-sm">
      Live updates have stopped.
      <Button size="xs" onClick={resume}>
        Resume
      </Button>
    </output>
  ) : null;
}
