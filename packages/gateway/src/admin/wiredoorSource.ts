import { join } from 'node:path';
import { UsageError } from '../machine/startError.ts';
import type { WiredoorOptions } from '../program.ts';
import { Secret } from '../vault/secret.ts';
import type { WiredoorSource } from './importWiredoor.ts';
import { linesOf, readPassphrase } from './passphrase.ts';
import { openWiredoorCalls, type WiredoorLogin, wiredoorAddress } from './wiredoorCalls.ts';

/**
 * What an administrator says of where a Wiredoor server is read; for an address, its API is signed in to.
 * @throws {UsageError} when flags are missing or do not belong together; {StartError} when the API refuses
 */
export async function wiredoorSource(text: string, options: WiredoorOptions): Promise<WiredoorSource> {
  const { certificates, pin, ...login } = options;
  if (!/^\w+:\/\//.test(text)) {
    if (pin !== undefined || Object.keys(login).length > 0) {
      throw new UsageError('--pin, --username, --password-file and --token-file are for https://HOST.');
    }
    return { directory: text, certificates: certificates ?? join(text, 'letsencrypt') };
  }
  if (certificates !== undefined) throw new UsageError('--certificates is for the files of a Wiredoor server.');
  const address = wiredoorAddress(text, pin);
  return { calls: await openWiredoorCalls(address, await loginOf(login)), origin: address.url.origin };
}

async function loginOf({ tokenFile, username, passwordFile }: WiredoorOptions): Promise<WiredoorLogin> {
  if (tokenFile !== undefined && (username ?? passwordFile) === undefined) {
    return new Secret(linesOf(tokenFile)[0]?.trim() ?? '');
  }
  if (tokenFile !== undefined || username === undefined) {
    throw new UsageError('Name the administrator with --username, or a file with a token with --token-file.');
  }
  if (passwordFile === undefined && !process.stdin.isTTY) {
    throw new UsageError('There is no terminal to ask for the password. Name a file that holds it: --password-file.');
  }
  return { username, password: await readPassphrase(passwordFile, { what: 'Password', isRepeated: false }) };
}
