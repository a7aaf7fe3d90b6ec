import type { ReactNode } from 'react';

/** The buttons at the foot of a dialog; on a phone they share its width. */
export const DialogFooter = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3 max-sm:*:flex-1">{children}</div>
);
