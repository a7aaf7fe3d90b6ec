/** What was looked at. */
export type Finding = {
  what: string;
  /** A warning is for the administrator to judge, and no failure. */
  state: 'ok' | 'warning' | 'failed';
  text: string;
  /** What to do, with the command at its end; null: nothing. */
  fix: string | null;
  /** The command alone. */
  command: string | null;
};

export const fine = (what: string, text: string): Finding => ({ what, state: 'ok', text, fix: null, command: null });
export const warning = (what: string, text: string, todo: string, command: string): Finding => ({
  what,
  state: 'warning',
  text,
  fix: `${todo}: ${command}`,
  command,
});
export const wrong = (what: string, text: string, todo: string, command: string): Finding => ({
  ...warning(what, text, todo, command),
  state: 'failed',
});
