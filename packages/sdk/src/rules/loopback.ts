const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

/** Whether every machine means itself by this host name or address; IPv6 with or without brackets. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK.test(host);
