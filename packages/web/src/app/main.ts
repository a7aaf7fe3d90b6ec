import '../ui/theme.css';
import { ahead } from './ahead.ts';
import { sayNotLoaded } from './notLoaded.ts';
import { lookForUpdate } from '../state/consoleUpdate.ts';
import { createSessionKeeper } from '../state/keptSession.ts';

// A part of the console that cannot be fetched may be one of an older build, which an updated gateway no longer has.
addEventListener('vite:preloadError', () => void lookForUpdate());

// So small that it runs while everything else is still on its way.
const { sent, fetch } = ahead(location, createSessionKeeper().read);
// What takes longest to begin with begins as soon as it is here. Whoever needs it is told when it does not come.
import('./reactRoot.ts').catch(() => {});
import('./contractPart.ts').catch(() => {});
// What it takes to draw keeps the page from asking for the rest, so that has been asked for before.
sent
  .then(() => import('./start.tsx'))
  .then(({ start }) => start(fetch))
  .catch(sayNotLoaded);
