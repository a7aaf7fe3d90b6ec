import { Link, useParams } from '@tanstack/react-router';
import { useTitle } from '../../state/useTitle.ts';
import { buttonClass } from '../../ui/buttonClass.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';

/** Says which node does not exist, with the way back to those that do. */
export function NodeMissing() {
  const { id } = useParams({ strict: false });
  useTitle('No such node');
  return (
    <Page>
      <EmptyState
        title={<h1>There is no node {id}</h1>}
        description="It may have been deleted, or the address is wrong."
        action={
          <Link to="/nodes" className={buttonClass({ variant: 'info' })}>
            Back to Client / Nodes
          </Link>
        }
      />
    </Page>
  );
}
