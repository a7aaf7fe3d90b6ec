import { expect, it, onTestFinished, vi } from 'vitest';
import { createWriteQueue } from './writeBatch.ts';

const nobodyTakesBack = () => Promise.reject(new Error('nothing is refused here'));
const nobodyWrites = () => 0;

it('serves someone alone at once, and a batch together though it comes back one by one', async () => {
  const writes = createWriteQueue(nobodyTakesBack, nobodyWrites);
  const answers: string[] = [];
  const call = async (name: string): Promise<void> => {
    await writes.add([]);
    answers.push(name);
  };
  const alone = call('alone');
  await writes.collect();
  writes.take().fulfil();
  await alone;
  expect(answers).toEqual(['alone']);

  const batch = [call('a'), call('b'), call('c')];
  await writes.collect();
  const served = writes.take();
  // One that comes while the batch is being served waits for the next generation.
  const late = call('late');
  served.fulfil();
  await Promise.all(batch);
  expect(answers).toEqual(['alone', 'a', 'b', 'c']);

  const collected = writes.collect();
  const back: Promise<void>[] = [];
  for (const name of ['a again', 'b again', 'c again']) {
    back.push(call(name));
    await new Promise((next) => setImmediate(next));
  }
  await collected;
  writes.take().fulfil();
  await Promise.all([late, ...back]);
  expect(answers.slice(4)).toEqual(['late', 'a again', 'b again', 'c again']);
});

it('does not wait for those who do not come back', async () => {
  const writes = createWriteQueue(nobodyTakesBack, nobodyWrites);
  const batch = [writes.add([]), writes.add([])];
  await writes.collect();
  writes.take().fulfil();
  await Promise.all(batch);
  const one = writes.add([]);
  await writes.collect();
  writes.take().fulfil();
  expect(await one).toEqual({ rejected: null });
});

it('waits for those who are still writing, though no one comes for longer than it waits else', async () => {
  const LOOKS = 10;
  // However slow the machine: what is waited at most has a limit of time, and is not meant here.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  let looks = 0;
  const answers: Promise<unknown>[] = [];
  const writes = createWriteQueue(nobodyTakesBack, () => {
    looks += 1;
    if (looks === LOOKS) answers.push(writes.add([]));
    return looks < LOOKS ? 1 : 0;
  });
  const batch = [writes.add([]), writes.add([])];
  await writes.collect();
  writes.take().fulfil();
  await Promise.all(batch);

  answers.push(writes.add([]));
  await writes.collect();
  writes.take().fulfil();
  expect(await Promise.all(answers)).toEqual([{ rejected: null }, { rejected: null }]);
});

it.each([
  [20, 4],
  [400, 20],
  [60_000, 40],
])('waits for the rest of a batch in proportion to the %i ms that a generation took', async (servingMs, looks) => {
  let looked = 0;
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const writes = createWriteQueue(nobodyTakesBack, () => {
    looked += 1;
    return 0;
  });
  const batch = [writes.add([]), writes.add([])];
  await writes.collect();
  const served = writes.take();
  now += servingMs;
  served.fulfil();
  await Promise.all(batch);
  looked = 0;
  const one = writes.add([]);
  await writes.collect();
  expect(looked).toBe(looks);
  writes.take().fulfil();
  expect(await one).toEqual({ rejected: null });
});

it('tells those who still wait at the end that what they changed is left to the next start', async () => {
  const writes = createWriteQueue(nobodyTakesBack, nobodyWrites);
  const late = writes.add([]);
  writes.take().leave();
  expect(await late).toEqual({ rejected: null, isLeft: true });
});
