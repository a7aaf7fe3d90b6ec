import type { HttpService } from '@sallyport/sdk/contract';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { OutsideLink } from '../../ui/OutsideLink.tsx';
import { backendTarget } from './backendTarget.ts';
import { serviceTrouble } from './serviceTrouble.ts';

/** A service, and after it was saved whether its domain came into being with it. */
export type ShownService = HttpService & { domainCreated?: boolean };

type ServiceInfoDialogProps = { service: ShownService; nodeAddress: string | null; onClose: () => void };

const listed = (addresses: readonly string[] | null) => (addresses?.length ? addresses.join(', ') : null);

/** Where a service is reached, and who may reach it. */
export function ServiceInfoDialog({ service, nodeAddress, onClose }: ServiceInfoDialogProps) {
  const trouble = serviceTrouble(service);
  const open = service.enabled && trouble === null;
  return (
    <Dialog
      open
      onClose={onClose}
      title={open ? 'Your Service is Now Publicly Available' : 'Your Service is Not Publicly Available'}
      description={service.name}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <div className="flex flex-col gap-4">
        {service.enabled ? null : <Alert type="warning">Public access to this service is disabled.</Alert>}
        {trouble ? <Alert type="warning">{trouble}</Alert> : null}
        {service.domainCreated ? (
          <Alert>
            The domain {service.domain} was added with a self-signed certificate and without validation. Change it under
            Domain Names.
          </Alert>
        ) : null}
        <Facts
          items={[
            {
              label: 'Public Access',
              value: (
                <span className="flex items-center gap-1">
                  <OutsideLink to={service.publicAccess} className="link">
                    {service.publicAccess}
                  </OutsideLink>
                  <CopyButton
                    text={service.publicAccess}
                    label="Copy the public address"
                    onError={(error) => globalThis.reportError(error)}
                  />
                </span>
              ),
            },
          ]}
        />
        <Facts
          items={[
            { label: 'Backend Target', value: backendTarget(service, nodeAddress), mono: true },
            { label: 'Allowed IPs', value: listed(service.allowedIps) ?? 'Everybody' },
            { label: 'Blocked IPs', value: listed(service.blockedIps) ?? 'Nobody' },
            { label: 'Require Authentication', value: service.requireAuth ? 'Yes' : 'No' },
          ]}
        />
      </div>
    </Dialog>
  );
}
