import { sidebar, singleKeys, theme, useStore } from '../../state/store.ts';
import { Checkbox } from '../../ui/controls/Checkbox.tsx';
import { Field } from '../../ui/controls/Field.tsx';
import { Select } from '../../ui/controls/TextInput.tsx';
import { Card } from '../../ui/layout/Card.tsx';

const THEMES = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** How the console looks and is used, in this browser. */
export function AppearanceCard() {
  return (
    <Card title="Appearance" description="Kept in this browser. Each choice counts at once.">
      <div className="flex max-w-88 flex-col gap-4">
        <Field label="Theme">
          <Select
            value={useStore(theme)}
            options={THEMES}
            onChange={(event) => theme.set(event.target.value as ReturnType<typeof theme.get>)}
          />
        </Field>
        <Checkbox
          asSwitch
          label="Wide sidebar"
          hint="On wide screens, with each word next to its icon."
          checked={useStore(sidebar) === 'expanded'}
          onChange={(event) => sidebar.set(event.target.checked ? 'expanded' : 'collapsed')}
        />
        <Checkbox
          asSwitch
          label="Shortcuts of a single key"
          hint="Turn them off if you speak to the machine, or press keys by accident."
          checked={useStore(singleKeys) === 'on'}
          onChange={(event) => singleKeys.set(event.target.checked ? 'on' : 'off')}
        />
      </div>
    </Card>
  );
}
