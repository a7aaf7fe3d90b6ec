import { remembered } from './remembered.ts';

/** Whether the sidebar of wide screens is folded to icons; collapsed until the administrator expands it. */
export const sidebar = remembered('sidebar', ['collapsed', 'expanded'], 'collapsed');
