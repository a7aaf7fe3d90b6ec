import type { ReactElement, ReactNode } from 'react';
import { linkButton } from '../controls/linkButton.ts';
import { Page } from './Page.tsx';
import { PageHeader } from './PageHeader.tsx';

type MissingPageProps = {
  breadcrumb: ReactNode;
  /** "There is no node 7". */
  title: string;
  /** Why not, when that is known. */
  description?: string | undefined;
  /** The router's link to what there is, with its words and without clothes. */
  back: ReactElement;
};

/** A screen about a thing that does not exist: which, and the way back to those that do. */
export function MissingPage({
  breadcrumb,
  title,
  description = 'It may have been deleted, or the address is wrong.',
  back,
}: MissingPageProps) {
  return (
    <Page>
      <PageHeader breadcrumb={breadcrumb} title={title} description={description} />
      <div>{linkButton(back, { variant: 'info' })}</div>
    </Page>
  );
}
