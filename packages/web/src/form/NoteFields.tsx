import { type Control, type FieldValues, type Path, useWatch } from 'react-hook-form';
import { Field } from '../ui/controls/Field.tsx';
import { TagInput } from '../ui/controls/TagInput.tsx';
import { rowErrors, TextareaField, useField } from './fields.tsx';
import { FoldedGroup } from './FormGroup.tsx';

type Notes = FieldValues & { tags: string[]; notes: string };
type NotesProps<V extends Notes, Out> = { control: Control<V, unknown, Out> };

const TAGS = 'Tags';
/** The fields of `noteAttributes`, by their names in the contract. */
export const noteNames = ['tags', 'notes'] as const;

/** What tags and notes there are, in a few words. */
export function noteSummary(tags: readonly string[], notes: string): string {
  const count = tags.length === 0 ? 'no tags' : tags.length === 1 ? '1 tag' : `${tags.length} tags`;
  return notes.trim() === '' ? count : `${count} · notes`;
}

/** Tags and notes, folded as long as there are none. The form has the contract's `noteAttributes`. */
export function NoteFields<V extends Notes, Out>({ control }: NotesProps<V, Out>) {
  const tags: string[] = useWatch({ control, name: 'tags' as Path<V> });
  const notes: string = useWatch({ control, name: 'notes' as Path<V> });
  return (
    <FoldedGroup
      title="Tags and notes"
      summary={noteSummary(tags, notes)}
      control={control}
      names={noteNames}
      initiallyOpen={tags.length > 0 || notes !== ''}
    >
      <NoteInputs control={control} />
    </FoldedGroup>
  );
}

/** The same within a group of more. */
export function NoteInputs<V extends Notes, Out>({ control }: NotesProps<V, Out>) {
  const tags = useField({ control, name: 'tags' as Path<V>, label: TAGS });
  const errors = rowErrors(tags.error);
  return (
    <>
      <Field
        as="group"
        label={TAGS}
        hint="Lists can be filtered by them. Enter or a comma ends one."
        error={errors ? errors.find(Boolean) : tags.error?.message}
      >
        <TagInput {...tags.field} values={tags.value as string[]} errors={errors ?? []} onChange={tags.change} />
      </Field>
      <TextareaField control={control} name={'notes' as Path<V>} label="Notes" hint="Plain text, for people." />
    </>
  );
}
