import '../ui/theme.css';
import { lookForUpdate } from '../state/consoleUpdate.ts';
import { logFailure } from '../ui/logFailure.ts';

// A part of the console that cannot be fetched may be one of an older build, which an updated gateway no longer has.
addEventListener('vite:preloadError', () => void lookForUpdate());

import('./start.tsx').then(({ start }) => start()).catch(sayNotLoaded);

/**
 * Says that the console itself could not be loaded, with nothing but the page's own style: what draws everything else is
 * not there.
 */
export function sayNotLoaded(error: unknown): void {
  logFailure(error);
  const make = (tag: string, text: string, className: string) =>
    Object.assign(document.createElement(tag), { textContent: text, className });
  const said = make('div', '', 'flex max-w-md flex-col gap-4');
  said.setAttribute('role', 'alert');
  said.append(
    make('h1', 'The console could not be loaded', 'text-xl font-semibold tracking-tight text-balance'),
    make('p', 'Part of it did not arrive. Check that the gateway is running, then try again.', 'text-muted'),
  );
  const again = make(
    'button',
    'Try again',
    'h-9 rounded-sm border border-edge/60 bg-surface px-3.5 font-medium shadow-control hover:bg-hover',
  );
  again.addEventListener('click', () => location.reload());
  const page = make('main', '', 'flex min-h-dvh flex-col items-center justify-center gap-4 px-4 py-12 text-center');
  page.append(said, again);
  document.getElementById('root')?.replaceChildren(page);
}
