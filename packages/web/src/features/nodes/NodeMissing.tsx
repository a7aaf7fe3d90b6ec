import { Link, useParams } from '@tanstack/react-router';
import { useTitle } from '../../state/useTitle.ts';
import { Breadcrumb, MissingPage } from '../../ui/layout/Page.tsx';

/** Says which node does not exist, with the way back to those that do. */
export function NodeMissing() {
  const { id } = useParams({ strict: false });
  const title = `There is no node ${id}`;
  useTitle(title);
  return (
    <MissingPage
      breadcrumb={
        <Breadcrumb>
          <Link to="/nodes">Client / Nodes</Link>
          {id}
        </Breadcrumb>
      }
      title={title}
      back={<Link to="/nodes">Back to Client / Nodes</Link>}
    />
  );
}
