import type { ComponentProps } from 'react';

/**
 * Every target outside of the console's own pages. The documentation is served by the gateway itself, so that it also
 * opens where there is no internet; its pages are listed in `docs/docPages.ts` of this package.
 */
export const links = {
  documentation: '/docs/',
  source: '/docs/source',
  contact: '/docs/contact',
  sponsor: '/docs/sponsor',
  terms: '/docs/terms',
  operating: '/docs/operating',
  cli: '/docs/cli',
  backup: '/docs/backup',
  dockerGateway: '/docs/docker',
  kubernetesGateway: '/docs/kubernetes',
  homeAssistant: '/docs/home-assistant',
} as const;

type OutsideLinkProps = Omit<ComponentProps<'a'>, 'href' | 'target' | 'rel'> & { to: string };

/** A link that opens next to the console and learns nothing about it. */
export function OutsideLink({ to, children, ...rest }: OutsideLinkProps) {
  return (
    <a {...rest} href={to} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}

type OutsideLinksProps = { of: readonly { text: string; to: string }[]; className: string };

/** A list of such links. @param className how it is laid out */
export const OutsideLinks = ({ of, className }: OutsideLinksProps) => (
  <ul className={className}>
    {of.map(({ text, to }) => (
      <li key={to}>
        <OutsideLink to={to} className="link">
          {text}
        </OutsideLink>
      </li>
    ))}
  </ul>
);
