/** What was looked at. `fix` is what to do, with a command where one does it; null where all is well. */
export type Finding = { what: string; isFine: boolean; text: string; fix: string | null };

export const fine = (what: string, text: string): Finding => ({ what, isFine: true, text, fix: null });
export const wrong = (what: string, text: string, fix: string): Finding => ({ what, isFine: false, text, fix });
