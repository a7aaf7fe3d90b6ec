import type { Database } from 'better-sqlite3';
import { type RawBuilder, sql } from 'kysely';
import { tagKey } from '@sallyport/sdk/rules';

// How rows are found by their tags. SQLite knows capitals of ASCII alone, and fails on the JSON of a damaged row, so the
// tags of a row are compared in functions of ours. They are made ready to be compared once for a row, whatever is wanted:
// that takes longer than all else.

/** What the tags of a row are compared by; those of a damaged row are none. */
function keysOf(tags: unknown): string[] {
  try {
    const parsed: unknown = JSON.parse(String(tags));
    return Array.isArray(parsed) ? parsed.map(tagKey) : [];
  } catch {
    return [];
  }
}

/** Has a database know the functions that the conditions below ask. */
export function addTagFunctions(database: Database): void {
  const functions = {
    has_tags(tags: unknown, wanted: unknown): boolean {
      const keys = new Set(keysOf(tags));
      return (JSON.parse(String(wanted)) as string[]).every((key) => keys.has(key));
    },
    tags_contain: (tags: unknown, text: unknown) => keysOf(tags).some((key) => key.includes(String(text))),
  };
  for (const [name, matches] of Object.entries(functions)) {
    database.function(name, { deterministic: true }, (tags, wanted) => Number(matches(tags, wanted)));
  }
}

// Of most rows nothing is asked: they have no tags.

/** Whether a row has all of these tags, in any case. */
export const hasTags = (wanted: readonly string[]): RawBuilder<boolean> =>
  sql`tags <> '[]' and has_tags(tags, ${JSON.stringify(wanted.map(tagKey))})`;

/** Whether one of a row's tags contains a text, in any case. */
export const tagsContain = (text: string): RawBuilder<boolean> =>
  sql`tags <> '[]' and tags_contain(tags, ${tagKey(text)})`;
