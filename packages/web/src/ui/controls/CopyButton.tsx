import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { logFailure } from '../logFailure.ts';
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
  /** The key that does the same. */
  shortcut?: string;
  onCopied?: () => void;
};

/**
 * Copies a text.
 * @returns whether it was copied in the last two seconds; a failure puts that back at once
 */
export function useCopy(text: string, onCopied?: () => void) {
  const [copied, setCopied] = useState(false);
  const timer = useTimer();

  async function copy() {
    timer.stop();
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      onCopied?.();
      timer.start(() => setCopied(false), COPIED_MS);
    } catch (error) {
      setCopied(false);
      logFailure(error);
    }
  }

  return { copied, copy: () => void copy() };
}

/** Copies a text. The icon is a tick for two seconds. */
export function CopyButton({ text, label, size = 'sm', shortcut, onCopied }: CopyButtonProps) {
  const { copied, copy } = useCopy(text, onCopied);
  return (
    <>
      <IconButton
        label={label}
        size={size}
        aria-keyshortcuts={shortcut}
        onClick={copy}
        icon={copied ? <Check size={16} aria-hidden className="text-success-ink" /> : <Copy size={16} aria-hidden />}
      />
      <output className="sr-only">{copied ? 'Copied' : ''}</output>
    </>
  );
}
