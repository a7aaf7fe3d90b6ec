import { onTestFinished, vi } from 'vitest';
import { updateQuestion } from '../state/consoleUpdate.ts';

/** The page of a build, as the gateway serves it. */
const pageOf = (build: string) =>
  `<!doctype html><script src="/theme.js"></script><script type="module" async crossorigin src="/assets/index-${build}.js"></script>`;

/** This page is of the build "old", and notes when it reloads. */
export function oldBuild() {
  const reload = vi.spyOn(location, 'reload').mockReturnValue();
  const entry = document.createElement('script');
  Object.assign(entry, { type: 'module' });
  entry.setAttribute('src', '/assets/index-old.js');
  const scripts = vi
    .spyOn(document, 'scripts', 'get')
    .mockReturnValue([entry] as unknown as HTMLCollectionOf<HTMLScriptElement>);
  sessionStorage.clear();
  onTestFinished(() => {
    scripts.mockRestore();
    reload.mockRestore();
    vi.unstubAllGlobals();
    updateQuestion.dismiss();
  });
  return reload;
}

/** What the gateway replies to anyone who asks for its page from now on. */
export function serves(reply: () => Response | Promise<Response>) {
  const fetch = vi.fn<(path: string) => Promise<Response>>(async () => reply());
  vi.stubGlobal('fetch', fetch);
  return fetch;
}

/** The page of another build. */
export const build =
  (name: string, init: ResponseInit = {}) =>
  () =>
    new Response(pageOf(name), init);
