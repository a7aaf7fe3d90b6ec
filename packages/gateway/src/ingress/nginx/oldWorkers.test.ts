import { expect, it } from 'vitest';
import { type OldWorker, surplus } from './oldWorkers.ts';

const MINUTE_MS = 60_000;
const worker = (pid: number, minutesAgo: number): OldWorker => ({
  pid,
  startTime: '1',
  since: -minutesAgo * MINUTE_MS,
  bytes: 10,
});
const ended = (workers: OldWorker[], roomBytes: number): number[] =>
  surplus(workers, { roomBytes, closingSince: -10 * MINUTE_MS }).map(({ pid }) => pid);

it('ends the oldest workers until the others have room', () => {
  expect(ended([worker(1, 12), worker(2, 25), worker(3, 18)], 15)).toEqual([2, 3]);
});

it('ends none while there is room for all, and none that is younger than ten minutes', () => {
  expect(ended([worker(1, 29), worker(2, 20)], 20)).toEqual([]);
  expect(ended([worker(1, 9.9), worker(2, 10.1), worker(3, 0)], 0)).toEqual([2]);
});
