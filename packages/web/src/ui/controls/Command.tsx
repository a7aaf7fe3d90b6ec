import { classes } from '../layout/classes.ts';
import { CopyButton } from './CopyButton.tsx';

type CommandProps = {
  /** A command, or a few lines of a file. */
  text: string;
  /** Names the block: "Join command". */
  label: string;
  /** It stands on a coloured ground. */
  raised?: boolean | undefined;
};

/** Something to paste into a terminal. Long lines go on below, so that all of it is seen. */
export function Command({ text, label, raised = false }: CommandProps) {
  return (
    <div className={classes('flex items-start gap-1 rounded-md py-1 pr-1 pl-3', raised ? 'bg-surface' : 'bg-sunken')}>
      <section aria-label={label} className="min-w-0 flex-1 py-1">
        <pre className="font-mono text-sm wrap-anywhere whitespace-pre-wrap">
          <code>
            {[...text.matchAll(/\s+|[^\s=]*=|[^\s=]+/g)].map(({ 0: word, index }) => (
              // A word, or the value after its `=`, goes on below as a whole while there is room for it there: no line ends
              // with half an option, or half a port.
              <span key={index} className={word.trim() === '' ? '' : 'inline-block max-w-full break-all'}>
                {word}
              </span>
            ))}
          </code>
        </pre>
      </section>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  );
}
