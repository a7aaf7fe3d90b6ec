import { SlidersHorizontal } from 'lucide-react';
import { createStore, read, remembered, useStore, write } from '../../state/store.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Menu } from '../../ui/overlays/Menu.tsx';

const KEY = 'services-hidden';
const hidden = createStore<readonly string[]>((read(KEY) ?? '').split(',').filter(Boolean));
hidden.subscribe(() => write(KEY, hidden.get().join()));

const density = remembered('services-density', ['comfortable', 'compact'], 'comfortable');

/** How this browser shows the list of all services. */
export function useServicesDisplay() {
  const left = useStore(hidden);
  return {
    shows: (what: string): boolean => !left.includes(what),
    isCompact: useStore(density) === 'compact',
  };
}

/**
 * Chooses what the list shows, and how high its rows are.
 * @param choices what can be left out
 */
export function ServicesDisplay({ choices }: { choices: readonly string[] }) {
  const { shows, isCompact } = useServicesDisplay();
  return (
    <Menu
      label="Display"
      items={[
        ...choices.map((what) => ({
          label: what,
          checked: shows(what),
          onSelect: () =>
            hidden.set((before) => (shows(what) ? [...before, what] : before.filter((each) => each !== what))),
        })),
        {
          label: 'Compact rows',
          separated: true,
          checked: isCompact,
          onSelect: () => density.set(isCompact ? 'comfortable' : 'compact'),
        },
      ]}
    >
      {/* Cards, which rows are on small screens, show what there is, one below the other. */}
      <Button size="sm" className="max-lg:hidden" icon={<SlidersHorizontal size={16} aria-hidden />}>
        Display
      </Button>
    </Menu>
  );
}
