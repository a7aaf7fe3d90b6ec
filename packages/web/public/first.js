// Runs before the first paint, on every page of the console and of its documentation.
(function () {
  // The stored theme. The console keeps the choice up to date afterwards (light, dark or auto).
  let theme = null;
  try {
    theme = localStorage.getItem('color-scheme');
  } catch {
    // Storage may be blocked: then the system decides.
  }
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;

  // A console that cannot be loaded says so with nothing but the page's own style: what draws everything else is not there.
  const sayNotLoaded = () => {
    const make = (tag, textContent, className) =>
      Object.assign(document.createElement(tag), { textContent, className });
    const said = make('div', '', 'flex max-w-md flex-col gap-4');
    said.setAttribute('role', 'alert');
    said.append(
      make('h1', 'The console could not be loaded', 'text-xl font-semibold tracking-tight text-balance'),
      make('p', 'Part of it did not arrive. Check that the gateway is running, then try again.', 'text-muted'),
    );
    const again = make(
      'button',
      'Try again',
      'h-9 rounded-sm border border-edge/60 bg-surface px-3.5 font-medium shadow-control hover:bg-hover',
    );
    again.addEventListener('click', () => location.reload());
    const page = make('main', '', 'flex min-h-dvh flex-col items-center justify-center gap-4 px-4 py-12 text-center');
    page.append(said, again);
    document.getElementById('root')?.replaceChildren(page);
  };
  // The failure of an element does not bubble.
  addEventListener(
    'error',
    ({ target }) => {
      // A browser's extension may have scripts of its own here.
      if (!(target instanceof HTMLScriptElement) || !target.src.startsWith(`${location.origin}/assets/`)) return;
      if (document.readyState === 'loading') addEventListener('DOMContentLoaded', sayNotLoaded);
      else sayNotLoaded();
    },
    true,
  );
})();
