/**
 * Letters of the Latin script, punctuation, and what screens draw lines with: each is a character of its own and takes one column.
 * No mark, no joiner and nothing of Asia or of the emoji, whose width depends on what stands beside them.
 */
const PRINTED = String.raw`\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2026\u2500-\u257f`;
const PRINTED_ALONE = new RegExp(`^[${PRINTED}]*$`);
const ESCAPE = '\x1b';
const COLOURS = new RegExp(`${ESCAPE}\\[[\\d;]*m`, 'g');
/** With the ends of lines and the begin of colours. */
const PLAIN = new RegExp(`^[${ESCAPE}\\n${PRINTED}]*$`);

/** Whether each unit of `text` is a character for itself. */
export const isPlain = (text: string): boolean => PLAIN.test(text);

/** How many columns a line of `text` takes without its colours; null: that needs the tables of Unicode. */
export function plainColumns(text: string): number | null {
  const bare = text.includes(ESCAPE) ? text.replace(COLOURS, '') : text;
  return PRINTED_ALONE.test(bare) ? bare.length : null;
}
