import { afterEach, beforeEach, expect, it, vi } from 'vitest';

let lookForUpdate: () => Promise<boolean>;
let updateQuestion: { get: () => boolean };
/** The page is loaded: it knows nothing of what was before. */
async function load() {
  vi.resetModules();
  ({ lookForUpdate, updateQuestion } = await import('./consoleUpdate.ts'));
}

/** Some of its files are the same in each build. */
const scripts = (name: string) =>
  ['runtime', `main-${name}`]
    .map((file) => `<script type="module" async crossorigin src="/assets/${file}.js"></script>`)
    .join('');

/** The page of a build, as the gateway serves it. */
const build =
  (name: string, init: ResponseInit = {}) =>
  () =>
    new Response(`<!doctype html><script src="/first.js"></script>${scripts(name)}`, init);

/** What the gateway replies to anyone who asks for its page from now on. */
function serves(reply: () => Response | Promise<Response>) {
  const fetch = vi.fn<(path: string) => Promise<Response>>(async () => reply());
  vi.stubGlobal('fetch', fetch);
  return fetch;
}

const reload = vi.spyOn(location, 'reload').mockReturnValue();

// This page is of the build "old".
beforeEach(async () => {
  reload.mockClear();
  document.head.innerHTML = scripts('old');
  sessionStorage.clear();
  await load();
});
afterEach(() => {
  document.head.replaceChildren();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

it('reloads the page when the gateway serves another build', async () => {
  const fetch = serves(build('new'));
  expect(await lookForUpdate()).toBe(true);
  expect(fetch.mock.calls[0]?.[0]).toBe('/');
  expect(reload).toHaveBeenCalledOnce();
  expect(updateQuestion.get()).toBe(false);
});

it.each([
  ['serves the same build', build('old')],
  ['is not there, but something else', () => new Response('<h1>Sign in</h1><script src="/portal.js"></script>')],
  ['has no console', build('new', { status: 503 })],
  ['does not answer', () => Promise.reject(new TypeError('Failed to fetch'))],
])('leaves the page alone when the gateway %s', async (_, reply) => {
  serves(reply);
  expect(await lookForUpdate()).toBe(false);
  expect(reload).not.toHaveBeenCalled();
  expect(updateQuestion.get()).toBe(false);
});

it('reloads once for each build, and asks when that did not help', async () => {
  for (const name of ['new', 'newer']) {
    serves(build(name));
    // Much may fail at once.
    await Promise.all([lookForUpdate(), lookForUpdate()]);
    await lookForUpdate();
    expect(updateQuestion.get()).toBe(false);
    await load();
  }
  expect(reload).toHaveBeenCalledTimes(2);
  serves(build('new'));
  await lookForUpdate();
  expect(reload).toHaveBeenCalledTimes(2);
  expect(updateQuestion.get()).toBe(true);
});

it.each(['dialog', 'alertdialog'])('asks first where a %s is open', async (role) => {
  const open = document.createElement('div');
  open.setAttribute('role', role);
  document.body.append(open);
  serves(build('new'));
  await lookForUpdate();
  expect(reload).not.toHaveBeenCalled();
  expect(updateQuestion.get()).toBe(true);
});

it('asks first where nothing can remember the reload', async () => {
  const forbidden = () => {
    throw new DOMException('forbidden', 'SecurityError');
  };
  vi.stubGlobal('sessionStorage', { getItem: forbidden });
  serves(build('new'));
  await lookForUpdate();
  expect(reload).not.toHaveBeenCalled();
  expect(updateQuestion.get()).toBe(true);
});
