/** The look shared by everything one can type into or choose from. */
export const controlClass =
  'w-full min-w-0 rounded-sm border border-edge bg-surface px-2.5 text-base text-ink shadow-control transition-colors duration-100 ' +
  'hover:border-muted focus-visible:border-accent focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-accent ' +
  'aria-invalid:border-danger-ink aria-invalid:focus-visible:outline-danger-ink ' +
  '[&[readonly]]:border-line [&[readonly]]:bg-sunken [&[readonly]]:shadow-none disabled:cursor-not-allowed disabled:border-line disabled:bg-sunken disabled:text-muted disabled:shadow-none ' +
  // Below 16 px a phone zooms into the page when the field gets the focus.
  'pointer-coarse:text-lg';
