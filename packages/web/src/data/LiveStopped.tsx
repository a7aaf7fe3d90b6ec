import type { StreamState } from '@sallyport/sdk';
import { Button } from '../ui/controls/Button.tsx';
import { Alert } from '../ui/layout/Alert.tsx';

/** Says that what is shown stays as it is by now, and lets it go on; nothing while updates come. */
export function LiveStopped({ stream, resume }: { stream: StreamState; resume: () => void }) {
  return stream === 'closed' ? (
    <Alert
      type="warning"
      action={
        <Button size="xs" onClick={resume}>
          Resume
        </Button>
      }
    >
      Live updates have stopped.
    </Alert>
  ) : null;
}
