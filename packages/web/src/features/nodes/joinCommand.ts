import { isLoopbackHost } from '@sallyport/sdk/rules';

/**
 * The command by which a host joins this gateway; it asks for the token, which would else stay in the shell's history.
 * Null: this page was opened on the gateway's own machine, and nothing else is known that would lead there from another.
 * Who runs it agrees to what it says: a host sends its internet traffic through no gateway that only says so.
 * @param consoleUrl where other machines reach the gateway, as it says itself
 */
export function joinCommand(consoleUrl: string | null, { allowInternet }: { allowInternet: boolean }): string | null {
  const address = isLoopbackHost(location.hostname) ? consoleUrl : location.origin;
  return address === null ? null : `sallyport connect --url=${address}${allowInternet ? ' --allow-internet' : ''}`;
}
