import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { Control, FieldValues, Path } from 'react-hook-form';
import { Field } from '../ui/controls/Field.tsx';
import { TagInput } from '../ui/controls/TagInput.tsx';
import { rowErrors, TextareaField, useField } from './fields.tsx';

const TAGS = 'Tags';

/** Tags and notes, folded as long as there are none. The form has the contract's `noteAttributes`. */
export function NoteFields<V extends FieldValues & { tags: string[]; notes: string }, Out>({
  control,
}: {
  control: Control<V, unknown, Out>;
}) {
  const tags = useField({ control, name: 'tags' as Path<V>, label: TAGS });
  const notes = useField({ control, name: 'notes' as Path<V>, label: 'Notes' });
  const values = tags.value as string[];
  const [open, setOpen] = useState(values.length > 0 || notes.value !== '');
  const errors = rowErrors(tags.error);
  return (
    <details
      // What is wrong is never hidden.
      open={open || Boolean(tags.error ?? notes.error)}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group"
    >
      <summary className="-mx-1 flex w-fit cursor-pointer list-none items-center gap-1 rounded-xs px-1 py-0.5 text-sm font-medium hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight size={16} aria-hidden className="text-muted transition-transform group-open:rotate-90" />
        Tags and notes
      </summary>
      <div className="mt-3 grid gap-4">
        <Field
          as="group"
          label={TAGS}
          hint="Lists can be filtered by them. Enter or a comma ends one."
          error={errors ? errors.find(Boolean) : tags.error?.message}
        >
          <TagInput {...tags.field} values={values} errors={errors ?? []} onChange={tags.change} />
        </Field>
        <TextareaField control={control} name={'notes' as Path<V>} label="Notes" hint="Plain text, for people." />
      </div>
    </details>
  );
}
