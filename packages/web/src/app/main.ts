import '../ui/theme.css';
import { lookForUpdate } from '../state/consoleUpdate.ts';
import { start } from './start.tsx';

// A part of the console that cannot be fetched may be one of an older build, which an updated gateway no longer has.
addEventListener('vite:preloadError', () => void lookForUpdate());

start();
