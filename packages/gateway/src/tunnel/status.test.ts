import { describe, expect, it } from 'vitest';
import { newTrack, type NodeTrack, observed, statusOf } from './status.ts';

const KEY = 'key';
const HOUR = 3_600_000;
const reading = (rx: number, handshakeAt: number | null, tx = 0) => ({
  publicKey: KEY,
  endpoint: '198.51.100.7:40000',
  handshakeAt,
  rx,
  tx,
});
/** A node that has been heard at second 0, by a gateway that has been running for a while. */
const heard = (): NodeTrack => {
  const silent = observed(
    newTrack(2, KEY, undefined),
    { ...reading(0, null), endpoint: null },
    { wall: 0, steady: -5000 },
  );
  return observed(silent, reading(100, 1000), { wall: 1000, steady: 0 });
};
const seconds = (count: number): number => count * 1000;

describe('the status of a node', () => {
  it.each([
    [10, 29, 'online'],
    [10, 31, 'idle'],
    [10, 179, 'idle'],
    [10, 181, 'offline'],
    [60, 119, 'online'],
    [60, 121, 'idle'],
    [0, 179, 'online'],
    [0, 181, 'idle'],
    [0, 100_000, 'idle'],
  ] as const)('with a keep-alive of %i s, %i s after it was heard: %s', (keepalive, after, status) => {
    expect(statusOf(heard(), keepalive, seconds(after))).toBe(status);
  });

  it('goes on by what arrives, whether or not there is a new handshake', () => {
    const later = observed(heard(), reading(132, 1000), { wall: seconds(100), steady: seconds(100) });
    expect(statusOf(later, 10, seconds(110))).toBe('online');
  });

  it.each([HOUR, -HOUR])('is not changed by a clock that jumps by %i ms', (jump) => {
    const moment = { wall: 1000 + seconds(10) + jump, steady: seconds(10) };
    const same = observed(heard(), reading(132, 1000), moment);
    expect(statusOf(same, 10, seconds(20))).toBe('online');
    const shaken = observed(same, reading(300, moment.wall), moment);
    expect(statusOf(shaken, 0, seconds(20))).toBe('online');
    expect(statusOf(shaken, 0, seconds(200))).toBe('idle');
    // One that was never there is not silent, but absent.
    expect(statusOf(newTrack(1, 'key', undefined), 0, seconds(200))).toBe('offline');
  });

  it('is taken over by a gateway that was restarted, and dropped when nothing comes', () => {
    const over = observed(newTrack(2, KEY, heard().traffic), reading(200, 1000), { wall: seconds(60), steady: 0 });
    expect(statusOf(over, 10, seconds(1))).toBe('online');
    expect(statusOf(over, 10, seconds(31))).toBe('idle');
    const dead = observed(newTrack(2, KEY, heard().traffic), reading(200, 1000), { wall: HOUR, steady: 0 });
    expect(statusOf(dead, 10, seconds(1))).toBe('offline');
  });
});

describe('the traffic of a node', () => {
  it('goes on where an interface that is gone left it', () => {
    const again = observed(heard(), reading(40, 2000, 7), { wall: seconds(9), steady: seconds(9) });
    expect(again.traffic).toMatchObject({ totalRx: 140, totalTx: 7, counterRx: 40, counterTx: 7 });
  });

  it('counts what passed while no gateway ran', () => {
    const over = observed(newTrack(2, KEY, heard().traffic), reading(250, 1000), { wall: seconds(60), steady: 0 });
    expect(over.traffic.totalRx).toBe(250);
  });

  it('goes on with another key', () => {
    const other = newTrack(2, 'another', heard().traffic);
    expect(other.traffic).toMatchObject({ totalRx: 100, counterRx: 0, publicKey: 'another' });
  });
});
