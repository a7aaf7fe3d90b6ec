/** One of the values that an Autocomplete suggests. */
export type AutocompleteOption = {
  value: string;
  /** A second, quieter text: what kind of thing it is. */
  note?: string | undefined;
};
