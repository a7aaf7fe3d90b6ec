import { formatDate } from '@sallyport/sdk';
import { type Domain, type DomainDns, dnsStateLabels, type PublicAddress } from '@sallyport/sdk/contract';
import { RefreshCw } from 'lucide-react';
import { DnsRecords } from '../../data/domainDns.tsx';
import { FeatureOff } from '../../data/featureOff.tsx';
import { useDomainNamed } from '../../data/domainNames.ts';
import { useUnavailable } from '../../data/gateway.ts';
import { useRead, useWrite } from '../../data/queries.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import type { Fact } from '../../ui/layout/Facts.tsx';
import type { Service } from './services.ts';

/** How often a domain is read again whose certificate is on its way. */
const REREAD_MS = 2000;

/** How visitors find a service by its name, and what they are shown first. */
export type Publication = {
  /** Null: the service has none. Undefined: it is not known yet. */
  domain: Domain | null | undefined;
  dns: DomainDns | undefined;
  /** What is known of the gateway's own address, by which a service without a domain is reached. */
  address: PublicAddress | undefined;
  checking: boolean;
  checkAgain: () => void;
};

/** Looks up the domain of a service, or what stands in for it. */
export function usePublication({ domain: name }: Pick<Service, 'domain'>): Publication {
  const { domain: row } = useDomainNamed(name ?? '');
  const params = { id: row?.id ?? 0 };
  const enabled = row !== null;
  const { data } = useRead(
    'domain.get',
    { params },
    { enabled, everyMs: (last) => (last?.pending ? REREAD_MS : false) },
  );
  const dns = useRead('domain.dns', { params }, { enabled });
  const address = useRead('publicAddress.get', {}, { enabled: name === null });
  return {
    domain: name === null ? null : (data ?? row ?? undefined),
    dns: dns.data,
    address: address.data,
    checking: dns.isFetching,
    checkAgain: () => void dns.refetch(),
  };
}

/** What speaks against the gateway's own address; what is said of one that counts only later does not concern this one. */
const addressNotes = ({ host, next, warnings }: PublicAddress): string[] =>
  next === null ? warnings : [`The address is ${host} until the next start of the gateway, and ${next} from then on.`];

/** Whether visitors from anywhere get through by the name or address; null: that is not known. */
export function isFound({ domain, dns, address }: Publication): boolean | null {
  if (domain === null) return address && addressNotes(address).length === 0 ? true : null;
  if (dns?.state === 'here' && !dns.isPrivate) return true;
  return dns?.state === 'not-found' ? false : null;
}

/** Whether visitors are shown a certificate: that of a TCP service is there only with TLS. */
const hasCertificate = (service: Service): boolean => !('proto' in service) || service.ssl;

/** Until an authority has given a certificate, a self-signed one stands in for it. */
const isSelfSigned = (domain: Domain | null): boolean =>
  domain === null || domain.ssl === 'self-signed' || domain.certificateEndsAt === null;

const HEALTH = { up: 'Answers', down: 'Does not answer', unknown: 'Not asked' } as const;

/** What is known of each step on the way to the service, in two words. */
export function publicationFacts(service: Service, { domain, dns }: Publication): Fact[] {
  const facts: Fact[] = [{ label: 'Backend', value: HEALTH[service.health] }];
  if (domain !== null) facts.unshift({ label: 'DNS', value: dns ? dnsStateLabels[dns.state] : 'Being looked up' });
  if (hasCertificate(service) && domain !== undefined) {
    const trusted = domain?.certificateEndsAt ? `Let's Encrypt, ends ${formatDate(domain.certificateEndsAt)}` : '';
    facts.push({ label: 'Certificate', value: isSelfSigned(domain) ? 'Self Signed' : trusted });
  }
  return facts;
}

/** What keeps visitors away or makes their browsers warn, with what changes that. */
export function PublicationNotes({ service, publication }: { service: Service; publication: Publication }) {
  const { domain, dns, address, checking, checkAgain } = publication;
  return (
    <>
      {domain === null && address
        ? addressNotes(address).map((note) => (
            <Alert key={note} type="warning">
              {note}
            </Alert>
          ))
        : null}
      {dns?.state === 'here' && dns.isPrivate ? <Alert type="warning">{dns.text}</Alert> : null}
      {dns && dns.state !== 'here' ? (
        <>
          <Alert
            type="warning"
            action={
              <Button size="sm" loading={checking} icon={<RefreshCw size={16} aria-hidden />} onClick={checkAgain}>
                Check again
              </Button>
            }
          >
            {dns.text}
          </Alert>
          <DnsRecords records={dns.records} state={dns.state} />
        </>
      ) : null}
      {hasCertificate(service) && domain !== undefined ? (
        <CertificateNote domain={domain} leadsHere={dns?.state === 'here'} />
      ) : null}
    </>
  );
}

/** Says that browsers warn, for as long as they do. An authority asks at the address of the name, so it must lead here first. */
function CertificateNote({ domain, leadsHere }: { domain: Domain | null; leadsHere: boolean }) {
  const issuerOff = useUnavailable('letsEncrypt');
  const update = useWrite('domain.update');
  if (!isSelfSigned(domain)) return null;
  if (domain?.ssl === 'certbot') {
    const text = domain.problem ?? domain.pending;
    return text ? <Alert type={domain.problem ? 'warning' : 'info'}>{text}</Alert> : null;
  }
  const mayGet = domain !== null && leadsHere && issuerOff === null;
  const get = ({ id, version }: Domain) =>
    update.mutate({ params: { id }, body: { ssl: 'certbot', skipValidation: false }, ifMatch: version });
  return (
    <Alert
      action={
        mayGet ? (
          <Button size="sm" loading={update.isPending} onClick={() => get(domain)}>
            Get a certificate
          </Button>
        ) : null
      }
    >
      The certificate is self-signed, so browsers warn visitors first.
      {domain !== null && leadsHere && issuerOff !== null ? (
        <>
          {' '}
          <FeatureOff feature="letsEncrypt" />
        </>
      ) : null}
    </Alert>
  );
}
