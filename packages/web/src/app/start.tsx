import { StrictMode } from 'react';
import * as z from 'zod/mini';
import { App } from './App.tsx';
import { createConsole } from './createConsole.ts';
import { createRoot } from './reactRoot.ts';
import { createSessionKeeper } from '../state/keptSession.ts';
import { createOtherTabs } from '../state/otherTabs.ts';
import { applyTheme } from '../state/theme.ts';

// The Content-Security-Policy forbids code made from text, which zod would try.
z.config({ jitless: true });

/** Draws the console in the page. `fetch` carries its requests. */
export function start(fetch: (request: Request) => Promise<Response>): void {
  applyTheme();
  const place = document.getElementById('root');
  if (!place) throw new Error('index.html has no #root');
  createRoot(place).render(
    <StrictMode>
      <App {...createConsole({ baseUrl: '', fetch, keeper: createSessionKeeper(), tabs: createOtherTabs() })} />
    </StrictMode>,
  );
}
