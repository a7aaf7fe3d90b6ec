/**
 * What two names of nodes, or two tags, must not have in common: to people `Edge` and `edge` are one name, with characters
 * that nobody sees as well. A damaged row may hold anything.
 */
export const nameKey = (name: unknown): string =>
  String(name)
    .normalize('NFC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
