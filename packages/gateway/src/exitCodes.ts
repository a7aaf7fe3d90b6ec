/** How a command of `sallyport-gateway` can end. Its help, its reference and its manual page print this table. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'Done; of check and health: nothing is wrong. A warning of check is no fault.' },
  failed: {
    code: 1,
    meaning:
      'Refused, failed or declined, all or a part of it, and it says why; of check and health: something is wrong.',
  },
  usage: {
    code: 2,
    meaning: 'Wrong usage: a command, a flag, an argument or an answer that cannot be. Nothing was begun.',
  },
  interrupted: { code: 130, meaning: 'Interrupted by Ctrl+C. A gateway that runs is ended so, with 0.' },
} as const;
