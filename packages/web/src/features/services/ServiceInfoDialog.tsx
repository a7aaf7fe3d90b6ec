import { Link } from '@tanstack/react-router';
import { ArrowUpRight, ScrollText } from 'lucide-react';
import { OutsideLink } from '../../data/links.tsx';
import { useRead } from '../../data/queries.ts';
import { Button, buttonClass, linkButton } from '../../ui/controls/Button.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { type Fact, Facts } from '../../ui/layout/Facts.tsx';
import { Notes } from '../../ui/layout/Tags.tsx';
import { Dialog } from '../../ui/overlays/Dialog.tsx';
import { isFound, publicationFacts, PublicationNotes, usePublication } from './publication.tsx';
import { ClosingTime, PublicAddress, useBackendTarget, useClosing } from './serviceDetails.tsx';
import { type Service, serviceKinds, serviceTrouble, typeOfService } from './services.ts';

/** How often the service is read again while it is looked at: its backend may begin to answer. */
const REREAD_MS = 2000;

/** A service, and after it was saved what became of its domain. */
export type ShownService = Service & { domainCreated?: boolean; domainIsOwnName?: boolean };

type ServiceInfoDialogProps = {
  service: ShownService;
  nodeAddress: string | null;
  /** Opens it to visitors, where it is closed and may be. */
  onEnable?: (() => void) | undefined;
  onClose: () => void;
};

const listed = (label: string, addresses: readonly string[] | null, none: string): Fact =>
  addresses?.length ? { label, value: addresses.join(', '), mono: true } : { label, value: none };
const yesNo = (value: boolean) => (value ? 'Yes' : 'No');

/** What is true of a service at the moment. Where it is not known whether all visitors get through, that is not said either. */
function titleOf(isOpen: boolean, found: boolean | null): string {
  if (!isOpen || found === false) return 'Your Service is Not Publicly Available';
  return found === null ? 'Your Service is Published' : 'Your Service is Now Publicly Available';
}

/** Where a service is reached, and who may reach it; says why when no one does, for as long as that is so. */
export function ServiceInfoDialog({ service: given, nodeAddress, onEnable, onClose }: ServiceInfoDialogProps) {
  const type = typeOfService(given);
  const { group } = serviceKinds[type];
  const params = { nodeId: given.nodeId, id: given.id };
  const { data } = useRead(`${group}.get`, { params }, { everyMs: REREAD_MS });
  // The cache may hold what was read before the service was saved.
  const service: Service = data && data.version >= given.version ? data : given;
  const target = useBackendTarget(service, nodeAddress);
  const trouble = serviceTrouble(service);
  const closing = useClosing(service);
  const isClosed = !service.enabled || closing !== null;
  const open = !isClosed && trouble === null;
  const publication = usePublication(service);
  return (
    <Dialog
      onClose={onClose}
      title={titleOf(open, isFound(publication))}
      description={service.name}
      footer={
        <>
          {type === 'http' && service.enabled ? (
            <OutsideLink to={service.publicAccess} className={buttonClass()}>
              <ArrowUpRight size={16} aria-hidden />
              Open
            </OutsideLink>
          ) : null}
          {linkButton(
            <Link
              to="/nodes/$nodeId/$type/$id/logs"
              params={{ nodeId: String(service.nodeId), type, id: String(service.id) }}
              onClick={() => onClose()}
            >
              <ScrollText size={16} aria-hidden />
              Log
            </Link>,
            {},
          )}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {isClosed ? (
          <Alert
            type="warning"
            action={
              onEnable && !service.enabled ? (
                <Button size="sm" onClick={onEnable}>
                  Enable Access
                </Button>
              ) : null
            }
          >
            Public access to this service is disabled.{closing ? ` ${closing}.` : null}
          </Alert>
        ) : null}
        {trouble && !isClosed ? <Alert type="warning">{trouble}</Alert> : null}
        {given.domainCreated ? (
          <Alert>
            The domain {service.domain} was added with a self-signed certificate and without validation. Change it under
            Domain Names.
          </Alert>
        ) : null}
        {given.domainIsOwnName ? (
          <Alert>The domain is a name of the gateway itself, so the service was saved without a domain.</Alert>
        ) : null}
        {/* What keeps visitors away besides counts once it is open. */}
        {isClosed ? null : <PublicationNotes service={service} publication={publication} />}
        <Facts items={[{ label: 'Public Access', value: <PublicAddress service={service} copy /> }]} />
        <Facts
          items={[
            { label: 'Backend Target', value: target, mono: true },
            ...publicationFacts(service, publication),
            ...ofKind(service),
            listed('Allowed IPs', service.allowedIps, 'Everyone'),
            listed('Blocked IPs', service.blockedIps, 'None'),
            ...(service.expiresAt ? [{ label: 'Closes', value: <ClosingTime expiresAt={service.expiresAt} /> }] : []),
            ...(service.tags.length > 0 ? [{ label: 'Tags', value: service.tags.join(', ') }] : []),
            ...(service.notes ? [{ label: 'Notes', value: <Notes>{service.notes}</Notes>, wide: true }] : []),
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
