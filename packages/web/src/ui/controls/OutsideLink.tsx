import type { ComponentProps } from 'react';

type OutsideLinkProps = Omit<ComponentProps<'a'>, 'href' | 'target' | 'rel'> & { to: string };

/** A link that opens next to the console and learns nothing about it. */
export function OutsideLink({ to, children, ...rest }: OutsideLinkProps) {
  return (
    <a {...rest} href={to} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
