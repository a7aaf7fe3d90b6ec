import type { ReactNode } from 'react';

type AppFrameProps = { sidebar: ReactNode; header: ReactNode; children: ReactNode };

/** Sidebar, header and the main part, with a link that skips to it. */
export function AppFrame({ sidebar, header, children }: AppFrameProps) {
  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="fixed top-2 left-2 z-(--z-toast) -translate-y-20 rounded-sm bg-inverse px-3 py-2 text-on-inverse focus:translate-y-0"
      >
        Skip to content
      </a>
      {sidebar}
      <div className="flex min-w-0 flex-1 flex-col">
        {header}
        <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          {children}
        </main>
      </div>
    </div>
  );
}
