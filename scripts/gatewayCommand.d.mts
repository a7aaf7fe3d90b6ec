/** The program and the arguments with which the built gateway is started. */
export const gatewayCommand: readonly [string, ...string[]];
