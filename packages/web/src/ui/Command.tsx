import { CopyButton } from './CopyButton.tsx';
import { REACHABLE } from './reachable.ts';

type CommandProps = {
  /** A command, or a few lines of a file. */
  text: string;
  /** Names the block: "Join command". */
  label: string;
  onCopyError?: ((error: unknown) => void) | undefined;
};

/** Something to paste into a terminal. Long lines scroll inside the block. */
export function Command({ text, label, onCopyError }: CommandProps) {
  return (
    <div className="flex items-start gap-1 rounded-md bg-sunken py-1 pr-1 pl-3">
      <section {...REACHABLE} aria-label={label} className="min-w-0 flex-1 overflow-x-auto rounded-xs py-1">
        <pre className="font-mono text-sm">
          <code>{text}</code>
        </pre>
      </section>
      <CopyButton text={text} label={`Copy: ${label}`} onError={onCopyError} />
    </div>
  );
}
