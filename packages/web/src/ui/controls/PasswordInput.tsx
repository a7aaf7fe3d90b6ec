import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { TextInput } from './TextInput.tsx';

/** A password, with a button that shows it. */
export function PasswordInput(props: ComponentProps<'input'>) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <TextInput
        autoComplete="current-password"
        spellCheck={false}
        {...props}
        type={shown ? 'text' : 'password'}
        className="pr-9"
      />
      <button
        type="button"
        aria-label="Show password"
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-1 right-1 inline-flex w-7 items-center justify-center rounded-xs text-muted hover:bg-hover hover:text-ink"
      >
        <Icon size={16} aria-hidden />
      </button>
    </div>
  );
}
