import '../ui/theme.css';
import { lookForUpdate } from '../state/consoleUpdate.ts';
import { sayNotLoaded } from './notLoaded.ts';

// A part of the console that cannot be fetched may be one of an older build, which an updated gateway no longer has.
addEventListener('vite:preloadError', () => void lookForUpdate());

import('./start.tsx').then(({ start }) => start()).catch(sayNotLoaded);
