/** Which builds this tab has been reloaded for, so that it never reloads in a loop. */
const RELOADED = 'sallyport.reloadedFor';

/** The console's own scripts that a page names: the bundler calls the main one after everything that it loads. */
const SCRIPT = /<script[^>]*\ssrc="(\/assets\/[^"]+)"[^>]*><\/script>/g;

/** The build that the page is about to reload for: what else fails until then is no news. */
let reloadingFor: string | null = null;

let asking = false;
const listeners = new Set<() => void>();
const ask = (next: boolean) => {
  asking = next;
  for (const listener of listeners) listener();
};

/** Whether the administrator is to be asked before the page reloads, as a store. */
export const updateQuestion = {
  get: () => asking,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Leaves the page as it is for now. */
  dismiss: () => ask(false),
};

/**
 * Called when code or a reply is not what this page expects. If the gateway serves another build of the console by now,
 * the page reloads, once for each build. Where a dialog is open, or that has been tried already, it asks first.
 * @returns whether there is another build
 */
export async function lookForUpdate(): Promise<boolean> {
  const served = await servedBuild();
  if (served === null) return false;
  if (served === reloadingFor) return true;
  if (document.querySelector('[role="dialog"], [role="alertdialog"]') === null && isFirstReload(served)) {
    reloadingFor = served;
    location.reload();
  } else ask(true);
  return true;
}

/** The build that the gateway serves; null when it is this page's own, or cannot be told. */
async function servedBuild(): Promise<string | null> {
  const modules = [...document.scripts].filter(({ type }) => type === 'module');
  const own = buildOf(modules.map((script) => script.getAttribute('src') ?? ''));
  try {
    const reply = await fetch('/', { headers: { accept: 'text/html' }, cache: 'no-store', redirect: 'error' });
    if (own === '' || !reply.ok) return null;
    const served = buildOf([...(await reply.text()).matchAll(SCRIPT)].map(([, src = '']) => src));
    return served === '' || served === own ? null : served;
  } catch {
    return null;
  }
}

/** A build's name: the paths of its scripts. */
const buildOf = (scripts: readonly string[]): string => scripts.toSorted().join(',');

/** Notes that the page reloads for this build. Where that cannot be kept, it does not reload by itself. */
function isFirstReload(build: string): boolean {
  try {
    const before = (sessionStorage.getItem(RELOADED) ?? '').split(' ');
    if (before.includes(build)) return false;
    sessionStorage.setItem(RELOADED, [...before, build].join(' ').trim());
    return true;
  } catch {
    return false;
  }
}
