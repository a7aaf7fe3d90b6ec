import { formatDate, formatExact } from '@sallyport/sdk';
import type { CreatedToken } from '@sallyport/sdk/contract';
import { links } from '../../data/links.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Dialog } from '../../ui/overlays/Dialog.tsx';
import { Facts } from '../../ui/layout/Facts.tsx';
import { OutsideLink } from '../../ui/controls/OutsideLink.tsx';
import { RelativeTime } from '../../ui/layout/RelativeTime.tsx';
import { ReadonlyField } from '../../ui/controls/ReadonlyField.tsx';
import { logFailure } from '../../state/logFailure.ts';

/** Where it is told what such a token is for. */
const GUIDES = [
  { text: 'CLI tool', to: links.cli },
  { text: 'Docker client image', to: links.dockerGateway },
  { text: 'Kubernetes chart', to: links.kubernetesGateway },
];

type TokenResultDialogProps = { created: CreatedToken; onClose: () => void };

/** Shows a new access token, the only time that it can be seen. */
export function TokenResultDialog({ created: { name, expireAt, token }, onClose }: TokenResultDialogProps) {
  return (
    <Dialog
      open
      sticky
      onClose={onClose}
      title="New Access Token Generated"
      description="The personal access token was created. Store it securely now: it is not shown again."
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <div className="flex flex-col gap-4">
        <Facts
          items={[
            { label: 'Name', value: name },
            ...(expireAt === null ? [] : [{ label: 'Expires', value: <Expiry at={expireAt} /> }]),
          ]}
        />
        <ReadonlyField
          label="Token"
          value={token}
          copyLabel="Copy the token"
          hint="The token is only visible once. Make sure to store it securely."
          onCopyError={logFailure}
        />
        <div className="flex flex-col gap-1">
          <p className="text-sm font-medium">Use it with</p>
          <ul className="flex flex-wrap gap-x-4 gap-y-1">
            {GUIDES.map(({ text, to }) => (
              <li key={to}>
                <OutsideLink to={to} className="link">
                  {text}
                </OutsideLink>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </Dialog>
  );
}

function Expiry({ at }: { at: string }) {
  return <RelativeTime dateTime={at} relative={formatDate(at)} exact={formatExact(at)} />;
}
