import { Button } from '../../ui/Button.tsx';
import { Command } from '../../ui/Command.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { ReadonlyField } from '../../ui/ReadonlyField.tsx';

type NodeReadyDialogProps = { name: string; token: string; onClose: () => void };

const logCopyFailure = (error: unknown) => globalThis.reportError(error);

/** Shows a new node's token, the only time that it can be seen, and how the node joins with it. */
export function NodeReadyDialog({ name, token, onClose }: NodeReadyDialogProps) {
  return (
    <Dialog
      open
      sticky
      onClose={onClose}
      title="Your Node is Ready"
      description={`On the host that becomes ${name}, run the command and give it this token when it asks.`}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <div className="flex flex-col gap-4">
        <ReadonlyField
          label="Token"
          value={token}
          copyLabel="Copy the token"
          hint="The token is only visible once. Make sure to store it securely."
          onCopyError={logCopyFailure}
        />
        <div className="flex flex-col gap-1">
          <p className="text-sm font-medium">Join command</p>
          <Command
            label="Join command"
            text={`sallyport connect --url=${location.origin}`}
            onCopyError={logCopyFailure}
          />
        </div>
      </div>
    </Dialog>
  );
}
