import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReconcileTrial } from './reconcileTrial.ts';

/** All that nginx was told, by file. */
export function servedFiles({ ingress }: Pick<ReconcileTrial, 'ingress'>): { path: string; text: string }[] {
  const entries = readdirSync(ingress.layout.current, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  return paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}
