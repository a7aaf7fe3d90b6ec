// What a page of the documentation does in the browser: search, copy, close its lists. It reads well without.
import { type Hit, search, type Section, wordsOf } from './search.ts';

const HITS_SHOWN = 20;
const COPIED_MS = 2000;

const element = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

function addCopyButtons(): void {
  // Browsers give pages over plain HTTP no clipboard.
  if (navigator.clipboard === undefined) return;
  const status = element('p', { className: 'unseen', role: 'status' });
  document.body.append(status);
  for (const block of document.querySelectorAll('.code')) {
    const button = element('button', { type: 'button', className: 'copy', ariaLabel: 'Copy' }, 'Copy');
    button.addEventListener('click', () => {
      const commands = [...block.querySelectorAll('kbd')].map(({ textContent }) => textContent);
      const text = commands.length > 0 ? commands.join('\n') : (block.querySelector('code')?.textContent ?? '');
      navigator.clipboard.writeText(text).then(
        () => say('Copied'),
        () => say('Not copied'),
      );
    });
    const say = (text: string): void => {
      button.textContent = text;
      status.textContent = text;
      setTimeout(() => {
        button.textContent = 'Copy';
        status.textContent = '';
      }, COPIED_MS);
    };
    block.append(button);
  }
}

function addSearch(dialog: HTMLDialogElement): void {
  const input = dialog.querySelector('input');
  const status = dialog.querySelector('[role=status]');
  const list = dialog.querySelector('ul');
  if (input === null || status === null || list === null) return;

  let loaded: Promise<Section[]> | undefined;
  const sections = (): Promise<Section[]> =>
    (loaded ??= fetch(dialog.dataset['index'] ?? '').then(async (response) => {
      if (!response.ok) throw new Error(String(response.status));
      return (await response.json()) as Section[];
    }));

  const show = async (): Promise<void> => {
    const query = input.value;
    try {
      const hits = search(await sections(), query);
      if (input.value !== query) return;
      list.replaceChildren(...hits.slice(0, HITS_SHOWN).map((hit) => entry(hit, wordsOf(query))));
      status.textContent = summary(query, hits.length);
    } catch {
      loaded = undefined;
      status.textContent = 'The search could not be loaded. Check that the gateway is running, then type again.';
    }
  };

  const open = (): void => {
    if (!dialog.open) dialog.showModal();
    input.select();
    void show();
  };

  for (const button of document.querySelectorAll<HTMLElement>('.search')) {
    button.hidden = false;
    button.addEventListener('click', open);
  }
  input.addEventListener('input', () => void show());
  addEventListener('keydown', (event) => {
    const typing = event.target instanceof HTMLInputElement;
    const asked = event.key === '/' ? !typing : event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (!asked) return;
    event.preventDefault();
    open();
  });
  dialog.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const at = links.findIndex((link) => link === document.activeElement);
    // Someone may type faster than the index comes.
    if (event.key === 'Enter' && event.target === input) void show().then(() => list.querySelector('a')?.click());
    else if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus();
    else return;
    event.preventDefault();
  });
  // The dialog is its own backdrop: only a press next to its content hits it. A section of this page is behind it.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || (target instanceof Element && target.closest('a, .close') !== null)) dialog.close();
  });
}

function summary(query: string, count: number): string {
  if (wordsOf(query).length === 0) return 'Type a word, a setting, or what a message says.';
  if (count === 0) return `Nothing is found for “${query.trim()}”. Try fewer words, or a part of one.`;
  if (count > HITS_SHOWN) return `The first ${HITS_SHOWN} of ${count} sections`;
  return count === 1 ? '1 section' : `${count} sections`;
}

function entry({ section, excerpt }: Hit, words: readonly string[]): HTMLLIElement {
  const { page, heading, address } = section;
  const place = page === heading ? page : `${page} › ${heading}`;
  return element(
    'li',
    {},
    element(
      'a',
      { href: address },
      element('strong', {}, ...marked(place, words)),
      element('span', {}, ...marked(excerpt, words)),
    ),
  );
}

/** The text, with each of the words marked. */
function marked(text: string, words: readonly string[]): (Node | string)[] {
  const parts: (Node | string)[] = [];
  const lower = text.toLowerCase();
  let from = 0;
  while (from < text.length) {
    const next = words
      .map((word) => ({ at: lower.indexOf(word, from), word }))
      .filter(({ at }) => at >= 0)
      .toSorted((one, other) => one.at - other.at || other.word.length - one.word.length)[0];
    if (next === undefined) break;
    const end = next.at + next.word.length;
    parts.push(text.slice(from, next.at), element('mark', {}, text.slice(next.at, end)));
    from = end;
  }
  return [...parts, text.slice(from)];
}

/** A list that lies over the page goes away when one of its links was followed; the one at the side shows where this page is. */
function prepareLists(): void {
  for (const list of document.querySelectorAll<HTMLElement>('nav[popover]')) {
    list.addEventListener('click', ({ target }) => {
      if (target instanceof HTMLAnchorElement && list.matches(':popover-open')) list.hidePopover();
    });
    const current = list.querySelector<HTMLElement>('[aria-current]');
    if (current !== null) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  }
}

addCopyButtons();
const dialog = document.querySelector<HTMLDialogElement>('#search');
if (dialog !== null) addSearch(dialog);
prepareLists();
