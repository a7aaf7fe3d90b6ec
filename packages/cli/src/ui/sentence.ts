/** The text with a full stop, where it does not end already. */
export const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** What the contract says of a field, with the name that the field has here in the place of "This field"; else behind the name. */
export const problemText = (name: string, message: string): string => {
  const named = message.replace(/^(This field|"[^"]*")/, () => name);
  return named === message ? `${name}: ${message}` : named;
};
