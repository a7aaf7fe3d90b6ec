import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from './IconButton.tsx';
import { useTimer } from './useTimer.ts';

/** How long the tick is shown. */
const COPIED_MS = 2000;

type CopyButtonProps = {
  /** What goes to the clipboard. */
  text: string;
  /** Says what is copied: "Copy the token". */
  label: string;
  size?: 'sm' | 'default' | undefined;
  /** The clipboard refused; the icon has gone back already. */
  onError?: ((error: unknown) => void) | undefined;
};

/** Copies a text. The icon is a tick for two seconds; a failure puts it back at once. */
export function CopyButton({ text, label, size = 'sm', onError }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const timer = useTimer();

  async function copy() {
    timer.stop();
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      timer.start(() => setCopied(false), COPIED_MS);
    } catch (error) {
      setCopied(false);
      onError?.(error);
    }
  }

  return (
    <>
      <IconButton
        label={label}
        size={size}
        onClick={() => void copy()}
        icon={copied ? <Check size={16} aria-hidden className="text-success-ink" /> : <Copy size={16} aria-hidden />}
      />
      <output className="sr-only">{copied ? 'Copied' : ''}</output>
    </>
  );
}
