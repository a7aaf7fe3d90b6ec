import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useLastPage } from '../../state/useLastPage.ts';
import { useListView } from '../../state/useListView.ts';
import { useTitle } from '../../state/useTitle.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Chips } from '../../ui/Chips.tsx';
import { ListBar } from '../../ui/ListBar.tsx';
import { Page } from '../../ui/Page.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Pagination } from '../../ui/Pagination.tsx';
import { SearchInput } from '../../ui/SearchInput.tsx';
import { nodesList, nodesQuery, nodesSearch } from './nodesSearch.ts';
import { NodesTable } from './NodesTable.tsx';
import { openNodeForm } from './openNodeForm.tsx';
import { useLiveNodes } from './useLiveNodes.ts';

const FILTERS = [
  { value: 'all', label: 'View All' },
  { value: 'nodes', label: 'Nodes' },
  { value: 'gateways', label: 'Gateways' },
] as const;

/** The list of nodes; how it is looked at is in the address. */
export function NodesPage() {
  useTitle('Client / Nodes');
  const search = useSearch({ from: '/shell/nodes' });
  const navigate = useNavigate({ from: '/nodes' });
  const view = useListView(nodesList);
  const { data, isPlaceholderData } = useLiveNodes(nodesQuery(search));
  useLastPage(data, view.query.page, view.correct);
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
      <ListBar
        search={
          <SearchInput label="Search nodes" value={view.query.search ?? ''} onChange={view.look} found={data?.total} />
        }
      >
        <Chips
          label="Show"
          options={FILTERS}
          value={nodesSearch(search).type ?? 'all'}
          onChange={(value) =>
            void navigate({
              search: ({ page: _first, type: _before, ...kept }) => (value === 'all' ? kept : { ...kept, type: value }),
              resetScroll: false,
            })
          }
        />
      </ListBar>
      <Card
        flush
        footer={
          data ? (
            <Pagination
              label="Nodes"
              page={data.page}
              limit={view.query.limit}
              total={data.total}
              onPage={view.goTo}
              sizes={view.sizes}
              onLimit={view.resize}
            />
          ) : null
        }
      >
        <NodesTable nodes={data?.data} busy={isPlaceholderData} view={view} />
      </Card>
    </Page>
  );
}
