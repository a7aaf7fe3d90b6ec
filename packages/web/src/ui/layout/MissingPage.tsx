import { SearchX } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { linkButton } from '../controls/Button.tsx';
import { MessagePage } from './MessagePage.tsx';

type MissingPageProps = {
  breadcrumb?: ReactNode;
  /** "There is no node 7". */
  title: string;
  /** Why not, when that is known. */
  description?: string | undefined;
  /** The router's link to the list that the address belongs to, with its words and without clothes. */
  back: ReactElement;
  /** The same to where it may be found otherwise. */
  further?: ReactElement | undefined;
};

/** A screen about a thing that does not exist: which, and the way back to those that do. */
export function MissingPage({
  breadcrumb,
  title,
  description = 'It may have been deleted, or the address is wrong.',
  back,
  further,
}: MissingPageProps) {
  return (
    <MessagePage
      within
      breadcrumb={breadcrumb}
      icon={<SearchX aria-hidden />}
      title={title}
      action={
        <>
          {linkButton(back, { variant: 'info' })}
          {further ? linkButton(further, {}) : null}
        </>
      }
    >
      {description}
    </MessagePage>
  );
}
