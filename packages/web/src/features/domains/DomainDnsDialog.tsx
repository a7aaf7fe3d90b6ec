import type { Domain } from '@sallyport/sdk/contract';
import { RefreshCw } from 'lucide-react';
import { DnsReport } from '../../data/domainDns.tsx';
import { useRead } from '../../data/queries.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Dialog } from '../../ui/overlays/Dialog.tsx';

type DomainDnsDialogProps = { domain: Pick<Domain, 'id' | 'domain'>; onClose: () => void };

/** Shows where a domain leads now, where it should, and the records that change that. */
export function DomainDnsDialog({ domain: { id, domain }, onClose }: DomainDnsDialogProps) {
  const { data, isFetching, isError, refetch } = useRead('domain.dns', { params: { id } });
  return (
    <Dialog
      onClose={onClose}
      title="DNS"
      description={<strong>{domain}</strong>}
      footer={
        <>
          <Button icon={<RefreshCw size={16} aria-hidden />} loading={isFetching} onClick={() => void refetch()}>
            Check again
          </Button>
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      {data ? <DnsReport dns={data} /> : null}
      {isError ? <Alert type="error">The gateway did not say where the name leads.</Alert> : null}
      {data || isError ? null : <p className="text-muted">The name is being looked up…</p>}
    </Dialog>
  );
}
