/** The program and the arguments with which the built gateway is started. */
export const gatewayCommand: readonly [string, ...string[]];
/** The flags of Node that are part of it. */
export const NODE_FLAGS: readonly string[];
