/** `orderBy` is `--order-by` on the command line. */
export const flagName = (field: string) => `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
