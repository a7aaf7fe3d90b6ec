/**
 * Spread onto content that is not a control but that the keyboard must reach: something that scrolls,
 * or that tells more when it has the focus.
 */
export const REACHABLE = { tabIndex: 0 };
