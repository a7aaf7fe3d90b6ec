const MB = 1_000_000;
const TERMINAL_MS = 200;
/** In a log, more would hide what else is in it. */
const LINE_MS = 60_000;
const CLEAR_LINE = '\r\u001B[K';

/** Says how far something long is: on a terminal in one line that changes, elsewhere in a line a minute. */
export type Progress = {
  /** What begins now. */
  step(text: string): void;
  /** How much of it is done, in bytes. @param all how much there is; null: that is not known */
  at(bytes: number, all: number | null): void;
  /** Makes room for what is said next. */
  end(): void;
};

/** @param output what is written to; by default standard error */
export function createProgress(
  output: { isTTY?: boolean; write(text: string): unknown } = process.stderr,
  now: () => number = () => performance.now(),
): Progress {
  const isTerminal = output.isTTY === true;
  let last = now();
  let isShown = false;
  const end = (): void => {
    if (isShown) output.write(CLEAR_LINE);
    isShown = false;
  };
  return {
    end,
    step(text) {
      end();
      last = now();
      output.write(`${text}\n`);
    },
    at(bytes, all) {
      if (now() - last < (isTerminal ? TERMINAL_MS : LINE_MS)) return;
      last = now();
      const done = Math.floor(bytes / MB);
      const text = all === null ? `  ${done} MB` : `  ${done} of ${Math.ceil(all / MB)} MB`;
      output.write(isTerminal ? `${CLEAR_LINE}${text}` : `${text}\n`);
      isShown = isTerminal;
    },
  };
}
