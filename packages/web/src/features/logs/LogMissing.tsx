import type { ReactElement, ReactNode } from 'react';
import { useTitle } from '../../state/useTitle.ts';
import { MissingPage } from '../../ui/layout/MissingPage.tsx';

type LogMissingProps = {
  breadcrumb: ReactNode;
  /** "There is no domain app.example.test". */
  title: string;
  /** A link to what there is, without clothes. */
  back: ReactElement;
};

/** Says whose log cannot be shown because it does not exist. */
export function LogMissing(props: LogMissingProps) {
  useTitle(props.title);
  return <MissingPage {...props} />;
}
