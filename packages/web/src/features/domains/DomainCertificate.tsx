import type { Domain } from '@sallyport/sdk/contract';
import { formatDate, formatExact } from '@sallyport/sdk';
import { sslName } from '../../data/sslName.ts';
import { RelativeTime } from '../../ui/layout/RelativeTime.tsx';

/** Where a domain's certificate comes from, and whether it is on its way or when it ends. */
export function DomainCertificate({
  domain: { ssl, pending, certificateEndsAt },
}: {
  domain: Pick<Domain, 'ssl' | 'pending' | 'certificateEndsAt'>;
}) {
  return (
    <>
      {sslName[ssl]}
      {pending === null ? null : <span className="block text-xs text-muted">On its way</span>}
      {certificateEndsAt === null ? null : (
        <span className="block text-xs text-muted">
          Ends{' '}
          <RelativeTime
            dateTime={certificateEndsAt}
            relative={formatDate(certificateEndsAt)}
            exact={formatExact(certificateEndsAt)}
          />
        </span>
      )}
    </>
  );
}
