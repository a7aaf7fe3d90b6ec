import { readFile } from 'node:fs/promises';
import type { LocalRoute } from '../ports.ts';

const ROUTES_FILE = '/proc/net/route';
/** Never in the main table, and nobody else's. */
const LOOPBACK: LocalRoute = { network: '127.0.0.0/8', device: 'lo' };
const HEX_CHARS_A_BYTE = 2;

/**
 * The networks to which this machine sends packets by itself, but for the default route and what goes into the tunnel.
 * @param tunnel the name of the tunnel's interface
 */
export async function localRoutes(tunnel: string): Promise<LocalRoute[]> {
  // Where there is no such file (it is Linux's), nothing is known but the loopback.
  return [LOOPBACK, ...parseRoutes(await readFile(ROUTES_FILE, 'utf8').catch(() => ''), tunnel)];
}

/** Reads the main table as the kernel writes it: addresses in hexadecimal, the last byte first. */
export function parseRoutes(text: string, tunnel: string): LocalRoute[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line): LocalRoute[] => {
      const [device = '', destination = '', , , , , , mask = ''] = line.split('\t');
      const [network, bits] = [bytesOf(destination), bytesOf(mask)];
      // What leads nowhere (`*`) is what the tunnel leaves behind it.
      if (network === null || bits === null || device === tunnel || device === '*') return [];
      const prefix = bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
      return prefix === 0 ? [] : [{ network: `${network.join('.')}/${prefix}`, device }];
    });
}

function bytesOf(hex: string): number[] | null {
  if (!/^[0-9A-F]{8}$/i.test(hex)) return null;
  const bytes = [0, 1, 2, 3].map((index) => hex.slice(index * HEX_CHARS_A_BYTE, (index + 1) * HEX_CHARS_A_BYTE));
  return bytes.map((byte) => Number.parseInt(byte, 16)).toReversed();
}
