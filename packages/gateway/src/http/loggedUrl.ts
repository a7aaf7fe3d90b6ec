/** A URL as it may be logged: `?token=` is for clients that cannot send headers. */
export const loggedUrl = (url: string): string => url.replaceAll(/([?&]token=)[^&#]*/gi, '$1[redacted]');
