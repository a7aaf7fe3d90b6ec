import './ui/theme.css';
import { ahead } from './ahead.ts';

// So small that it runs while everything else is still on its way.
const { known, fetch } = ahead(location);
// What takes longest to begin with begins as soon as it is here. Whoever needs it is told when it does not come.
import('./reactRoot.ts').catch(() => {});
import('./contractPart.ts').catch(() => {});
// Nothing is drawn before it is known who is there, and what it takes to draw keeps the page from asking for the rest.
void known.then(() => import('./start.tsx')).then(({ start }) => start(fetch));
