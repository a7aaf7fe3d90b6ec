import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeMachine, createFakeMachine } from '../testing/fakeMachine.ts';
import { createTunnel } from './tunnel.ts';

const NOW = new Date('2026-11-21T08:00:00Z');
const REFUSED = { code: 1, out: '', err: '[#] ip link add sp type wireguard\nRTNETLINK answers: File exists\n' };

let machine: FakeMachine;
let directory: string;
const tunnel = () => createTunnel(machine, directory, 'sp');
const file = () => join(directory, 'sp.conf');

beforeEach(() => {
  machine = createFakeMachine(() => NOW);
  directory = mkdtempSync(join(tmpdir(), 'sallyport-tunnel-'));
  return () => rmSync(directory, { recursive: true });
});

describe('the tunnel', () => {
  it('comes up from a file that only its owner can read, and goes without a trace', async () => {
    expect(await tunnel().up('first')).toBe('started');
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(await tunnel().state()).toEqual({
      isUp: true,
      endpoint: '198.51.100.7:51820',
      latestHandshakeTimestamp: NOW.getTime() - 5000,
      transferRx: 2048,
      transferTx: 1024,
    });
    expect(await tunnel().up('first')).toBe('unchanged');
    expect(await tunnel().down()).toBe(true);
    expect(readdirSync(directory)).toEqual([]);
    expect(machine.up.size).toBe(0);
    expect(await tunnel().down()).toBe(false);
  });

  it('leaves nothing behind when it cannot come up', async () => {
    machine.failsUp = () => REFUSED;
    const base = directory;
    directory = join(base, 'sallyport');
    await expect(tunnel().up('first')).rejects.toThrow(
      'The interface sp could not be brought up: RTNETLINK answers: File exists.',
    );
    directory = base;
    expect(readdirSync(directory)).toEqual([]);
  });

  it('goes back to what worked when the new configuration does not', async () => {
    await tunnel().up('works');
    machine.failsUp = (text) => (text === 'works' ? null : REFUSED);
    await expect(tunnel().up('does not')).rejects.toThrow('could not be brought up');
    expect(machine.up.get('sp')).toBe('works');
    expect(readFileSync(file(), 'utf8')).toBe('works');
  });

  it('is changed by one at a time, however many want to', async () => {
    await tunnel().up('first');
    machine.ran.length = 0;
    const [replaced, unchanged] = await Promise.all([tunnel().up('second'), tunnel().up('second')]);
    expect([replaced, unchanged]).toEqual(['replaced', 'unchanged']);
    const quick = (verb: string): string => `wg-quick ${verb} ${file()}`;
    expect(machine.ran).toEqual(['wg show sp dump', quick('down'), quick('up'), 'wg show sp dump']);
  });

  it('touches no interface that is not its own', async () => {
    machine.up.set('sp', 'of someone else');
    await expect(tunnel().up('first')).rejects.toThrow(
      'There is an interface "sp" already that sallyport did not make.',
    );
    expect(await tunnel().down()).toBe(false);
    expect(machine.up.get('sp')).toBe('of someone else');
  });

  it('names all that is missing in one command', () => {
    for (const program of ['wg', 'ip', 'wireguard-go', 'nft']) machine.missing.add(program);
    machine.kernelHasWireguard = false;
    expect(() => tunnel().requireTools(true)).toThrow(
      expect.objectContaining({
        message:
          "Not installed: WireGuard's tools, iproute2, wireguard-go, as this kernel has no WireGuard and nftables for a gateway.",
        next: 'Run `apt-get install wireguard-tools iproute2 wireguard-go nftables` as root.',
      }),
    );
    machine.missing.clear();
    machine.missing.add('wireguard-go');
    expect(() => tunnel().requireTools(true)).toThrow('Not installed: wireguard-go');
    // A container does not see what the kernel of its machine could load.
    machine.kernelHasWireguard = null;
    expect(() => tunnel().requireTools(true)).not.toThrow();
  });

  it.each([
    [
      'Error: Unknown device type.\n[!] Missing WireGuard kernel module. Falling back to slow userspace implementation.\n',
      'Not installed: wireguard-go, as this kernel has no WireGuard.',
    ],
    ['RTNETLINK answers: Operation not permitted\n', 'this root may not configure the network'],
  ])('understands %j', async (err, sentence) => {
    machine.missing.add('wireguard-go');
    machine.failsUp = () => ({ code: 1, out: '', err });
    await expect(tunnel().up('first')).rejects.toThrow(sentence);
    expect(existsSync(file())).toBe(false);
  });

  it('does not take the file when the directory is in the way', async () => {
    writeFileSync(join(directory, 'file'), '');
    const below = createTunnel(machine, join(directory, 'file'), 'sp');
    await expect(below.up('first')).rejects.toThrow(/in the way of the tunnel's configuration/);
  });
});
