import { type DnsRecord, type DnsState, type DomainDns, formatExact } from '@sallyport/sdk';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { Alert } from '../ui/layout/Alert.tsx';
import { type Fact, Facts } from '../ui/layout/Facts.tsx';

/** What the DNS says about a domain, what it should say, and the records that change that. */
export function DnsReport({ dns }: { dns: DomainDns }) {
  const found = [...dns.a, ...dns.aaaa];
  const facts: Fact[] = [
    {
      label: 'Leads to',
      value: found.join(', ') || (dns.state === 'no-answer' ? 'Not known' : 'Nothing'),
      mono: found.length > 0,
    },
    { label: 'Should lead to', value: dns.expected.join(', ') || 'Not known', mono: dns.expected.length > 0 },
    { label: 'Asked', value: dns.nameServers.join(', ') || 'No name server', mono: dns.nameServers.length > 0 },
    { label: 'Checked', value: formatExact(dns.checkedAt) },
  ];
  if (dns.cnames.length > 0) facts.unshift({ label: 'Stands for', value: dns.cnames.join(', '), mono: true });
  return (
    <div className="flex flex-col gap-4">
      <Alert type={dns.state === 'here' ? 'info' : 'warning'}>{dns.text}</Alert>
      <Facts items={facts} />
      {dns.state === 'here' ? null : <DnsRecords records={dns.records} state={dns.state} alias={dns.cnames[0]} />}
    </div>
  );
}

type DnsRecordsProps = { records: readonly DnsRecord[]; state?: DnsState; alias?: string | undefined };

/**
 * The records to enter at the DNS provider, in the parts that its form asks for.
 * @param props.state what is known of the name; left out: that it does not lead here
 * @param props.alias the other name that it stands for, next to which it can have no other record
 */
export function DnsRecords({ records, state, alias }: DnsRecordsProps) {
  if (records.length === 0) return null;
  const hasChoice = records.length > 1 && records.some(({ type }) => type === 'CNAME');
  return (
    <section aria-label="Records for the DNS provider" className="flex flex-col gap-2">
      <p className="text-sm text-muted">
        {alias === undefined ? null : (
          <>
            The name has a CNAME record, which leads to <code className="wrap-anywhere">{alias}</code>. Remove it, or
            point it to the name of this gateway: no other record can stand next to it.{' '}
          </>
        )}
        {hasChoice
          ? 'Enter the CNAME record at your DNS provider; where the domain is the top of a zone, enter the others instead.'
          : 'Enter this at your DNS provider.'}
        {state === 'no-answer' ? ' Where a wildcard record of yours leads here already, nothing is to be done.' : null}
      </p>
      {records.map(({ type, name, value }) => (
        <div key={`${type} ${value}`} className="rounded-md bg-sunken px-3 py-2">
          <Facts
            layout="line"
            items={[
              { label: 'Type', value: type, mono: true },
              { label: 'Name', value: <Copied text={name} label={`Copy the name of the ${type} record`} /> },
              { label: 'Value', value: <Copied text={value} label={`Copy the value of the ${type} record`} /> },
            ]}
          />
        </div>
      ))}
    </section>
  );
}

function Copied({ text, label }: { text: string; label: string }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <span className="min-w-0 font-mono text-sm wrap-anywhere">{text}</span>
      <span className="-my-1">
        <CopyButton text={text} label={label} />
      </span>
    </span>
  );
}
