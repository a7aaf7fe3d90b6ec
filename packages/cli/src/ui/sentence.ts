/** The text with a full stop, where it does not end already. */
export const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
