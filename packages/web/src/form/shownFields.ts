import { wordsOf } from './Differences.tsx';

/** Which fields of a form are on the screen, and what each is called there. */
export type ShownFields = {
  /** Notes a field that appears; the function that comes back notes that it went away. */
  show: (name: string, label: string | null) => () => void;
  /** Whether a problem of this field, or of a part of it such as a row of a list, is shown next to it. */
  shows: (field: string, values: object) => boolean;
  /** What a field is called, also one that was on the screen before, or never was. */
  labelOf: (field: string) => string;
};

const known = new WeakMap<object, ShownFields>();

/** The fields that a form shows; `control` is the form's. */
export function shownFieldsOf(control: object): ShownFields {
  const shown = known.get(control) ?? createShownFields();
  known.set(control, shown);
  return shown;
}

function createShownFields(): ShownFields {
  // A field that is drawn again appears before its last appearance ends.
  const appearances = new Map<string, number>();
  const labels = new Map<string, string>();
  const count = (name: string, by: number) => appearances.set(name, (appearances.get(name) ?? 0) + by);
  const isShown = (name: string) => (appearances.get(name) ?? 0) > 0;
  return {
    show(name, label) {
      count(name, 1);
      if (label !== null) labels.set(name, label);
      return () => void count(name, -1);
    },
    shows(field, values) {
      if (isShown(field)) return true;
      const cut = field.lastIndexOf('.');
      const [list, row] = [field.slice(0, Math.max(cut, 0)), Number(field.slice(cut + 1))];
      if (!isShown(list)) return false;
      const rows = (values as Record<string, unknown>)[list];
      return Array.isArray(rows) && row < rows.length;
    },
    labelOf: (field) => labels.get(field) ?? labels.get(field.split('.')[0] ?? '') ?? wordsOf(field),
  };
}
