import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/** A text that must not reach a log, a reply or a screen by accident: every way of printing it says `[redacted]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The text itself. Each call is a place to review. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
