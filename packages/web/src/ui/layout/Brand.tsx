import { cloneElement, type ReactElement } from 'react';
import { classes } from './classes.ts';

/** The sallyport: a fortress wall with its door ajar. `size`: its edge in pixels. */
export function Mark({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" className="shrink-0" aria-hidden>
      <path
        className="fill-inverse"
        d="M2.75 4.5c0-.55.45-1 1-1h2.1c.55 0 1 .45 1 1v1.35h2.8V4.5c0-.55.45-1 1-1h2.7c.55 0 1 .45 1 1v1.35h2.8V4.5c0-.55.45-1 1-1h2.1c.55 0 1 .45 1 1v15c0 .83-.67 1.5-1.5 1.5h-2.5v-6.25a5.25 5.25 0 0 0-10.5 0V21h-2.5c-.83 0-1.5-.67-1.5-1.5z"
      />
      <path className="fill-accent" d="M8.25 14.75A3.75 3.75 0 0 1 12 11v10.1l-3.04 1.3a.5.5 0 0 1-.71-.46z" />
    </svg>
  );
}

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
