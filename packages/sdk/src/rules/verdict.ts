/** Whether something may be done; if not, why, in a sentence for the user. */
export type Verdict = { allowed: true } | { allowed: false; reason: string };

export const allowed: Verdict = { allowed: true };
export const refused = (reason: string): Verdict => ({ allowed: false, reason });
