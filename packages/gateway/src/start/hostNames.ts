import { hostname } from 'node:os';
import { isIP } from 'node:net';
import type { Config } from '../config.ts';

/** The names of this gateway. */
export type HostNames = {
  /** By which services without a domain are reached: the name of the settings, or the machine's where that is an address. */
  hostNames: readonly string[];
  /** The machine's own name, which is no name for nodes to take even where visitors know the gateway by another. */
  machineName: string;
};

/** @param machine the name of the machine */
export function hostNamesOf({ host }: Pick<Config['vpn'], 'host'>, machine = hostname()): HostNames {
  const machineName = machine.toLowerCase();
  return { hostNames: [isIP(host) === 0 ? host.toLowerCase() : machineName], machineName };
}
