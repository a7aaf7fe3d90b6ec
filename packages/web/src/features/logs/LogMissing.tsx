import type { ReactNode } from 'react';
import { useTitle } from '../../state/useTitle.ts';
import { Page } from '../../ui/Page.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';

type LogMissingProps = {
  breadcrumb: ReactNode;
  /** "There is no domain app.example.test". */
  title: string;
  /** A link to what there is. */
  back: ReactNode;
};

/** Says whose log cannot be shown because it does not exist. */
export function LogMissing({ breadcrumb, title, back }: LogMissingProps) {
  useTitle(title);
  return (
    <Page>
      <PageHeader
        breadcrumb={breadcrumb}
        title={title}
        description="It may have been deleted, or the address is wrong."
      />
      <div>{back}</div>
    </Page>
  );
}
