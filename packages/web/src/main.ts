import './ui/theme.css';
import { ahead } from './ahead.ts';

// So small that it runs while everything else is still on its way.
const fetchAhead = ahead(location);
void import('./start.tsx').then(({ start }) => start(fetchAhead));
