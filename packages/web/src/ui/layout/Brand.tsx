import { cloneElement } from 'react';
import type { ReactElement } from 'react';
import { classes } from './classes.ts';
import { Mark } from './Mark.tsx';

type BrandProps = {
  /** The router's link to home, without children. */
  home: ReactElement;
  /** The mark alone; the name stays for screen readers. */
  small?: boolean | undefined;
};

/** Mark and name of the product, leading home. */
export function Brand({ home, small = false }: BrandProps) {
  return cloneElement(
    home as ReactElement<{ className?: string }>,
    { className: 'inline-flex items-center gap-2.5 rounded-xs text-lg font-semibold tracking-tight text-ink' },
    <Mark key="mark" size={28} />,
    <span key="name" className={classes(small && 'sr-only')}>
      Sallyport
    </span>,
  );
}
