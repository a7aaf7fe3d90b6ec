/** What one step found, and the command or setting that mends it. */
export type Finding = {
  step: string;
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  finding: string;
  mend: string | null;
};

/** The same before it is known of which step it is. */
export type Result = Omit<Finding, 'step'>;

/** One step of an examination. It is skipped unless the one that it `needs` went well. */
export type Step = { name: string; needs: string | null; work: () => Promise<Result | readonly Result[]> };

export const ok = (finding: string): Result => ({ state: 'ok', finding, mend: null });
export const warning = (finding: string, mend: string): Result => ({ state: 'warning', finding, mend });
export const failed = (finding: string, mend: string): Result => ({ state: 'failed', finding, mend });
export const skipped = (finding: string): Result => ({ state: 'skipped', finding, mend: null });
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
