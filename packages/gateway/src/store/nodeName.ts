/** What two names of nodes must not have in common: to people `Edge` and `edge` are one name. A damaged row may hold anything. */
export const nodeNameKey = (name: unknown): string => String(name).normalize('NFC').toLowerCase();
