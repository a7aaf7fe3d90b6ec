/** The number that every JSON output carries. Fields are only ever added within one version. */
export const JSON_VERSION = 1;

// JSON leaves these as they are, and a terminal may obey them: C1 controls, separators of lines, marks that reorder text.
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON that is safe to look at; on one line unless `indent` is given. */
export const safeJson = (value: unknown, indent?: number): string =>
  `${JSON.stringify(value, null, indent).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}\n`;

/** A document of the command line, with the version of its shape in front; on one line unless `indent` is given. */
export const jsonText = (value: object, indent?: number): string =>
  safeJson({ version: JSON_VERSION, ...value }, indent);
