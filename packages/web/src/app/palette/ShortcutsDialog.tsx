import { isMac } from '../../state/browser.ts';
import { singleKeys, useStore } from '../../state/store.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Keys } from '../../ui/controls/Keys.tsx';
import { Dialog } from '../../ui/overlays/Dialog.tsx';
import { screens } from '../screens.ts';
import { paletteKeys } from '../shortcuts.ts';

type Shortcut = { keys: readonly string[]; does: string };

const groups: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: paletteKeys, does: 'Search or run a command' },
      { keys: isMac ? ['⌘', 'Z'] : ['Ctrl', 'Z'], does: 'Undo, while a message offers it' },
      { keys: ['?'], does: 'Show this list' },
      { keys: ['Esc'], does: 'Close what is open, or leave the search' },
    ],
  },
  {
    title: 'On a screen',
    shortcuts: [
      { keys: ['C'], does: 'Add what the screen lists' },
      { keys: ['/'], does: 'Search the list, or the lines of a log' },
      { keys: ['E'], does: 'Edit the service of the page' },
      { keys: ['L'], does: 'Open its log' },
      { keys: ['Y'], does: 'Copy its address' },
      { keys: ['E', 'D', 'T', 'L'], does: 'Enable, disable, tag, limit selected' },
    ],
  },
  {
    title: 'Go to',
    shortcuts: screens.map(({ key, label }) => ({ keys: ['G', key.toUpperCase()], does: label })),
  },
  {
    title: `After ${paletteKeys.join(' ')}`,
    shortcuts: [
      { keys: ['↑', '↓'], does: 'Move' },
      { keys: ['↵'], does: 'Open or run' },
      { keys: ['→'], does: 'List the actions of what is found' },
    ],
  },
];

/** The console's shortcuts. Those of a single key can be turned off here. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const isOn = useStore(singleKeys) === 'on';
  return (
    <Dialog
      onClose={onClose}
      title="Keyboard shortcuts"
      footer={
        <>
          <Button onClick={() => singleKeys.set(isOn ? 'off' : 'on')}>Turn Single Keys {isOn ? 'Off' : 'On'}</Button>
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
          {groups.map(({ title, shortcuts }) => (
            <section key={title}>
              <h3 className="mb-1.5 text-xs font-medium text-muted">{title}</h3>
              <dl className="flex flex-col gap-1.5 text-sm">
                {shortcuts.map(({ keys, does }) => (
                  <div key={does} className="flex items-center justify-between gap-3">
                    <dt>{does}</dt>
                    <dd>
                      <Keys keys={keys} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <p className="text-sm text-muted">
          {isOn
            ? 'Single keys work outside of fields and dialogs. Turn them off if you dictate.'
            : 'Keys by themselves are off in this browser. The list says what they would do.'}
        </p>
      </div>
    </Dialog>
  );
}
