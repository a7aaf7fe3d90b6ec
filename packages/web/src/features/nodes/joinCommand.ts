/** The command by which a host joins this gateway; it asks for the token, which would else stay in the shell's history. */
export const joinCommand = (): string => `sallyport connect --url=${location.origin}`;
