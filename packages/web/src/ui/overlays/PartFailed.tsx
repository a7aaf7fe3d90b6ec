import { Alert } from '../layout/Alert.tsx';
import { Button } from '../controls/Button.tsx';

/** In the place of a part of a screen that could not be fetched. */
export function PartFailed({ what, onRetry }: { what: string; onRetry: () => void }) {
  return (
    <Alert
      type="error"
      action={
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {what} could not be loaded.
    </Alert>
  );
}
