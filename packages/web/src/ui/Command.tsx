import { CopyButton } from './CopyButton.tsx';

type CommandProps = {
  /** A command, or a few lines of a file. */
  text: string;
  /** Names the block: "Join command". */
  label: string;
  onCopyError?: ((error: unknown) => void) | undefined;
};

/** Something to paste into a terminal. Long lines go on below, so that all of it is seen. */
export function Command({ text, label, onCopyError }: CommandProps) {
  return (
    <div className="flex items-start gap-1 rounded-md bg-sunken py-1 pr-1 pl-3">
      <section aria-label={label} className="min-w-0 flex-1 py-1">
        <pre className="font-mono text-sm wrap-anywhere whitespace-pre-wrap">
          <code>
            {[...text.matchAll(/\s+|\S+/g)].map(({ 0: word, index }) => (
              // A word goes on below as a whole while there is room for it there: no line ends with half an option.
              <span key={index} className={word.trim() === '' ? '' : 'inline-block max-w-full break-all'}>
                {word}
              </span>
            ))}
          </code>
        </pre>
      </section>
      <CopyButton text={text} label={`Copy: ${label}`} onError={onCopyError} />
    </div>
  );
}
