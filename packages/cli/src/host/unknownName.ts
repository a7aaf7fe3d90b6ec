import { field } from '@sallyport/sdk/contract';
import type { Machine } from './machine.ts';

/**
 * What to do about a service's domain that has no address yet, in sentences; null when it has one. Where it should lead
 * the gateway tells administrators alone, not the token of a host.
 */
export async function unknownName(machine: Pick<Machine, 'resolves'>, domain: string | null): Promise<string | null> {
  // It will be pasted into a shell, and the gateway may have chosen it.
  const name = field.domainName.safeParse(domain).data;
  if (name === undefined || (await machine.resolves(name))) return null;
  return `This host finds no address for ${name} yet: make a DNS record that leads to the gateway. Which one, \`sallyport domain dns ${name}\` says to an administrator, and the console does under Domain Names.`;
}
