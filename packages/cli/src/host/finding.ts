/** What one step found, and the command or setting that fixes it. */
export type Finding = {
  step: string;
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  finding: string;
  fix: string | null;
};

/** The same before it is known of which step it is. */
export type Result = Omit<Finding, 'step'>;

/** One step of an examination. It is skipped unless the one that it `needs` went well. */
export type Step = { name: string; needs: string | null; work: () => Promise<Result | readonly Result[]> };

export const ok = (finding: string): Result => ({ state: 'ok', finding, fix: null });
export const warning = (finding: string, fix: string): Result => ({ state: 'warning', finding, fix });
export const failed = (finding: string, fix: string): Result => ({ state: 'failed', finding, fix });
export const skipped = (finding: string): Result => ({ state: 'skipped', finding, fix: null });
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
