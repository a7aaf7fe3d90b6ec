import type { Database } from 'better-sqlite3';
import { type RawBuilder, sql } from 'kysely';
import { nameKey } from './nameKey.ts';

// How rows are found by their tags. SQLite knows capitals of ASCII alone, and fails on the JSON of a damaged row, so the
// tags of a row become what they are compared by in a function of ours.

/** The tags of a row as they are compared, as JSON; those of a damaged row are none. */
function tagKeys(tags: unknown): string {
  try {
    const parsed: unknown = JSON.parse(String(tags));
    return Array.isArray(parsed) ? JSON.stringify(parsed.map(nameKey)) : '[]';
  } catch {
    return '[]';
  }
}

/** Has a database know the function that the conditions below ask. */
export const addTagKeys = (database: Database): void =>
  void database.function('tag_keys', { deterministic: true }, tagKeys);

/** The pattern of SQL's `like … escape '\\'` for what contains a text. */
export const likePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/** Of most rows nothing is asked: they have no tags. */
const anyTag = (matches: RawBuilder<boolean>, column: string): RawBuilder<boolean> =>
  sql`${sql.ref(column)} <> '[]' and exists (select 1 from json_each(tag_keys(${sql.ref(column)})) where ${matches})`;

/** Whether a row has a tag, in any case. @param column where the tags are, with its table where there are several */
export const hasTag = (tag: string, column = 'tags'): RawBuilder<boolean> =>
  anyTag(sql`value = ${nameKey(tag)}`, column);

/** Whether one of a row's tags contains a text, in any case. */
export const tagsContain = (text: string, column = 'tags'): RawBuilder<boolean> =>
  anyTag(sql`value like ${likePattern(nameKey(text))} escape '\\'`, column);
