import { Link, useParams } from '@tanstack/react-router';
import { useTitle } from '../../state/useTitle.ts';
import { Breadcrumb } from '../../ui/Breadcrumb.tsx';
import { buttonClass } from '../../ui/buttonClass.ts';
import { Page } from '../../ui/Page.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';

/** Says which node does not exist, with the way back to those that do. */
export function NodeMissing() {
  const { id } = useParams({ strict: false });
  useTitle('No such node');
  return (
    <Page>
      <PageHeader
        breadcrumb={
          <Breadcrumb>
            <Link to="/nodes">Client / Nodes</Link>
            {id}
          </Breadcrumb>
        }
        title={`There is no node ${id}`}
        description="It may have been deleted, or the address is wrong."
      />
      <div>
        <Link to="/nodes" className={buttonClass({ variant: 'info' })}>
          Back to Client / Nodes
        </Link>
      </div>
    </Page>
  );
}
