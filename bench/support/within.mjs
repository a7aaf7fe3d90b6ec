/**
 * A program and its arguments, as they are started in a network of their own. It runs in the place of `ip`: a signal
 * meets the program itself.
 * @param {{ name: string } | undefined} namespace undefined: in the network of the benchmark
 * @param {string} program
 * @param {...string} args
 * @returns {[string, ...string[]]}
 */
export const within = (namespace, program, ...args) =>
  namespace === undefined ? [program, ...args] : ['ip', 'netns', 'exec', namespace.name, program, ...args];
