import { withTraces } from './traceless.ts';

/** React, as a part of the console that runs before the rest of it is here. */
export { createRoot } from 'react-dom/client';

withTraces();
