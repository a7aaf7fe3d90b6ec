import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type AddressCandidate, field } from '@sallyport/sdk/contract';
import type { Config } from '../config.ts';
import { StartError } from '../machine/startError.ts';
import { unlessUnwritable } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { ChosenAddress } from './publicAddress.ts';

/** Has a person choose one of the candidates, or another one. Null: no one is there to be asked. */
export type AskAddress = ((candidates: readonly AddressCandidate[], usual: string) => Promise<string>) | null;

type Stored = { settings: Pick<Store['settings'], 'get'>; nodes: Pick<Store['nodes'], 'all'> };

/**
 * The public address of this start: that of the environment, else the stored one. A gateway that was never started before
 * finds out by what it may be reached, asks or takes the most likely, and stores it. An earlier version stored none: its
 * gateways keep the name of the machine, which stands in the files of their nodes.
 * @returns also what it chose by itself, in a sentence; null: nothing
 */
export async function chooseAddress(
  store: Stored & Pick<Store, 'write'>,
  vpn: Pick<Config['vpn'], 'host' | 'isHostGiven'>,
  { candidates, ask }: { candidates(): Promise<AddressCandidate[]>; ask: AskAddress },
): Promise<ChosenAddress & { notice: string | null }> {
  const known = await knownAddress(store, vpn);
  if (known !== null) return { ...known, notice: null };
  const found = await candidates();
  const usual = found[0];
  const host = ask === null ? usual?.host : await ask(found, usual?.host ?? vpn.host);
  // Where nothing was found, and no one said better, it stays open.
  if (host === undefined || (usual === undefined && host === vpn.host)) {
    return { host: vpn.host, source: 'machine', notice: null };
  }
  await unlessUnwritable(store.write((tx) => tx.settings.set('publicAddress', host)));
  const notice =
    ask === null && usual !== undefined
      ? `hosts and visitors are told ${host} (${usual.what}); another one: Settings in the console, or SALLYPORT_VPN_HOST`
      : null;
  return { host, source: 'setting', notice };
}

/** The public address as far as it was decided; null: the first start will do so. */
export async function knownAddress(
  store: Stored,
  { host, isHostGiven }: Pick<Config['vpn'], 'host' | 'isHostGiven'>,
): Promise<ChosenAddress | null> {
  if (isHostGiven) return { host, source: 'environment' };
  const stored = await store.settings.get('publicAddress');
  // A row that was damaged keeps nothing from starting.
  if (stored !== null && field.host.safeParse(stored).success) return { host: stored, source: 'setting' };
  return (await wasStarted(store)) ? { host, source: 'machine' } : null;
}

/** Whether there was a start before, which stored the ports, or nodes that were taken over from another server. */
async function wasStarted({ settings, nodes }: Stored): Promise<boolean> {
  return (await settings.get('httpPort')) !== null || (await nodes.all({ isLocal: false })).length > 0;
}

/** Shows the candidates on a terminal and reads one line. */
export function askOnTerminal(
  { input, output }: { input: Readable; output: { write(text: string): unknown } },
  signal: AbortSignal,
): NonNullable<AskAddress> {
  return async (candidates, usual) => {
    const width = Math.max(0, ...candidates.map(({ host }) => host.length));
    const list = candidates.map(({ host, what }, index) => `  ${index + 1}  ${host.padEnd(width)}  ${what}\n`);
    output.write(
      `\nBy which name or address do hosts and visitors reach this machine?\n${list.join('')}Type one of these numbers, or another name or address. It can be changed later, under Settings in the console.\n`,
    );
    const question = `Public address [${usual}]: `;
    output.write(question);
    // Not as a terminal: the one that it is shown on edits the line, and its Ctrl+C ends the gateway.
    for await (const line of createInterface({ input, signal })) {
      const text = line.trim();
      if (text === '') return usual;
      const chosen = /^\d+$/.test(text) ? candidates[Number(text) - 1]?.host : text.toLowerCase();
      if (chosen !== undefined && field.host.safeParse(chosen).success) return chosen;
      output.write(`This is neither a number of the list nor a host name or an IP address.\n${question}`);
    }
    output.write('\n');
    if (signal.aborted) throw new StartError('The gateway was not started.');
    return usual;
  };
}
