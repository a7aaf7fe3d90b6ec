import { PAGE_SIZE } from '@sallyport/sdk/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useLastPage } from '../../state/useLastPage.ts';
import { useTitle } from '../../state/useTitle.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Chips } from '../../ui/Chips.tsx';
import { Page } from '../../ui/Page.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Pagination } from '../../ui/Pagination.tsx';
import { nodesQuery } from './nodesSearch.ts';
import { NodesTable } from './NodesTable.tsx';
import { openNodeForm } from './openNodeForm.tsx';
import { useLiveNodes } from './useLiveNodes.ts';

const FILTERS = [
  { value: 'all', label: 'View All' },
  { value: 'nodes', label: 'Nodes' },
  { value: 'gateways', label: 'Gateways' },
] as const;

/** The list of nodes; page and filter are in the address. */
export function NodesPage() {
  useTitle('Client / Nodes');
  const search = useSearch({ from: '/shell/nodes' });
  const navigate = useNavigate({ from: '/nodes' });
  const { data, isPlaceholderData } = useLiveNodes(nodesQuery(search));
  const goTo = (page: number) => void navigate({ search: (current) => ({ ...current, page }) });
  useLastPage(data, search.page ?? 1, goTo);
  return (
    <Page>
      <PageHeader
        title="Client / Nodes"
        actions={
          <Button variant="info" icon={<Plus size={16} aria-hidden />} onClick={() => void openNodeForm()}>
            Add Client
          </Button>
        }
      />
      <Chips
        label="Show"
        options={FILTERS}
        value={search.type ?? 'all'}
        onChange={(value) => void navigate({ search: value === 'all' ? {} : { type: value } })}
      />
      <Card
        flush
        footer={
          data ? <Pagination label="Nodes" page={data.page} limit={PAGE_SIZE} total={data.total} onPage={goTo} /> : null
        }
      >
        <NodesTable nodes={data?.data} busy={isPlaceholderData} />
      </Card>
    </Page>
  );
}
