import type { ReactElement, ReactNode } from 'react';

/** One entry of a menu, as data. */
export type MenuAction = {
  label: string;
  icon?: ReactNode;
  onSelect?: (() => void) | undefined;
  /** The router's link without children (`<Link to="/nodes" />`) that the entry becomes. */
  link?: ReactElement | undefined;
  /** An address outside of the router; opens a new tab. */
  href?: string | undefined;
  danger?: boolean | undefined;
  /** Why the entry cannot be chosen now; shown under its label. */
  disabled?: string | undefined;
  /** Draws a hairline above the entry. */
  separated?: boolean | undefined;
};
