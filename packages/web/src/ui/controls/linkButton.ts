import { cloneElement, type ReactElement } from 'react';
import { buttonClass } from './buttonClass.ts';

/** The router's link, which comes without clothes, as a button. */
export const linkButton = (link: ReactElement, look: Parameters<typeof buttonClass>[0]) =>
  cloneElement(link as ReactElement<{ className?: string }>, { className: buttonClass(look) });
