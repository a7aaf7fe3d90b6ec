import { useRead } from '../../data/queries.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { type Fact, Facts } from '../../ui/layout/Card.tsx';
import { Dialog } from '../../ui/overlays/Dialog.tsx';
import { ClosingTime, PublicAddress, useBackendTarget, useClosing } from './serviceDetails.tsx';
import { type Service, serviceKinds, serviceTrouble, typeOfService } from './services.ts';

/** How often the service is read again while it is looked at: its backend may begin to answer. */
const REREAD_MS = 2000;

/** A service, and after it was saved what became of its domain. */
export type ShownService = Service & { domainCreated?: boolean; domainIsOwnName?: boolean };

type ServiceInfoDialogProps = { service: ShownService; nodeAddress: string | null; onClose: () => void };

const listed = (label: string, addresses: readonly string[] | null, none: string): Fact =>
  addresses?.length ? { label, value: addresses.join(', '), mono: true } : { label, value: none };
const yesNo = (value: boolean) => (value ? 'Yes' : 'No');

/** Where a service is reached, and who may reach it; says why when no one does, for as long as that is so. */
export function ServiceInfoDialog({ service: given, nodeAddress, onClose }: ServiceInfoDialogProps) {
  const { group } = serviceKinds[typeOfService(given)];
  const params = { nodeId: given.nodeId, id: given.id };
  const { data } = useRead(`${group}.get`, { params }, { everyMs: REREAD_MS });
  // The cache may hold what was read before the service was saved.
  const service: Service = data && data.version >= given.version ? data : given;
  const target = useBackendTarget(service, nodeAddress);
  const trouble = serviceTrouble(service);
  const closing = useClosing(service);
  const open = service.enabled && trouble === null && closing === null;
  return (
    <Dialog
      onClose={onClose}
      title={open ? 'Your Service is Now Publicly Available' : 'Your Service is Not Publicly Available'}
      description={service.name}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <div className="flex flex-col gap-4">
        {service.enabled && closing === null ? null : (
          <Alert type="warning">Public access to this service is disabled.{closing ? ` ${closing}.` : null}</Alert>
        )}
        {trouble ? <Alert type="warning">{trouble}</Alert> : null}
        {given.domainCreated ? (
          <Alert>
            The domain {service.domain} was added with a self-signed certificate and without validation. Change it under
            Domain Names.
          </Alert>
        ) : null}
        {given.domainIsOwnName ? (
          <Alert>The domain is a name of the gateway itself, so the service was saved without a domain.</Alert>
        ) : null}
        <Facts items={[{ label: 'Public Access', value: <PublicAddress service={service} copy /> }]} />
        <Facts
          items={[
            { label: 'Backend Target', value: target, mono: true },
            ...ofKind(service),
            listed('Allowed IPs', service.allowedIps, 'Everybody'),
            listed('Blocked IPs', service.blockedIps, 'None'),
            ...(service.expiresAt ? [{ label: 'Closes', value: <ClosingTime expiresAt={service.expiresAt} /> }] : []),
          ]}
        />
      </div>
    </Dialog>
  );
}

/** What only services of its kind have. */
const ofKind = (service: Service): Fact[] =>
  'proto' in service
    ? [
        { label: 'Public Port', value: String(service.port), mono: true },
        { label: 'SSL Termination', value: yesNo(service.ssl) },
      ]
    : [{ label: 'Require Authentication', value: yesNo(service.requireAuth) }];
