import { expect, it, onTestFinished, vi } from 'vitest';
import { createCallers } from './writeBatch.ts';

const nobodyTakesBack = () => Promise.reject(new Error('nothing is refused here'));
const nobodyWrites = () => 0;

it('serves somebody alone at once, and a crowd together though it comes back one by one', async () => {
  const callers = createCallers(nobodyTakesBack, nobodyWrites);
  const answers: string[] = [];
  const call = async (name: string): Promise<void> => {
    await callers.add([]);
    answers.push(name);
  };
  const alone = call('alone');
  await callers.gathered();
  callers.take().fulfil();
  await alone;
  expect(answers).toEqual(['alone']);

  const crowd = [call('a'), call('b'), call('c')];
  await callers.gathered();
  const batch = callers.take();
  // Somebody who comes while the crowd is being served waits for the next generation.
  const late = call('late');
  batch.fulfil();
  await Promise.all(crowd);
  expect(answers).toEqual(['alone', 'a', 'b', 'c']);

  const gathered = callers.gathered();
  const back: Promise<void>[] = [];
  for (const name of ['a again', 'b again', 'c again']) {
    back.push(call(name));
    await new Promise((next) => setImmediate(next));
  }
  await gathered;
  callers.take().fulfil();
  await Promise.all([late, ...back]);
  expect(answers.slice(4)).toEqual(['late', 'a again', 'b again', 'c again']);
});

it('does not wait for those who do not come back', async () => {
  const callers = createCallers(nobodyTakesBack, nobodyWrites);
  const crowd = [callers.add([]), callers.add([])];
  await callers.gathered();
  callers.take().fulfil();
  await Promise.all(crowd);
  const one = callers.add([]);
  await callers.gathered();
  callers.take().fulfil();
  expect(await one).toEqual({ rejected: null });
});

it('waits for those who are still writing, though nobody comes for longer than it waits else', async () => {
  const LOOKS = 10;
  // However slow the machine: what is waited at most has a limit of time, and is not meant here.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  let looks = 0;
  const answers: Promise<unknown>[] = [];
  const callers = createCallers(nobodyTakesBack, () => {
    looks += 1;
    if (looks === LOOKS) answers.push(callers.add([]));
    return looks < LOOKS ? 1 : 0;
  });
  const crowd = [callers.add([]), callers.add([])];
  await callers.gathered();
  callers.take().fulfil();
  await Promise.all(crowd);

  answers.push(callers.add([]));
  await callers.gathered();
  callers.take().fulfil();
  expect(await Promise.all(answers)).toEqual([{ rejected: null }, { rejected: null }]);
});

it.each([
  [20, 4],
  [400, 20],
  [60_000, 40],
])('waits for the rest of a crowd in proportion to the %i ms that a generation took', async (servingMs, looks) => {
  let looked = 0;
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const callers = createCallers(nobodyTakesBack, () => {
    looked += 1;
    return 0;
  });
  const crowd = [callers.add([]), callers.add([])];
  await callers.gathered();
  const batch = callers.take();
  now += servingMs;
  batch.fulfil();
  await Promise.all(crowd);
  looked = 0;
  const one = callers.add([]);
  await callers.gathered();
  expect(looked).toBe(looks);
  callers.take().fulfil();
  expect(await one).toEqual({ rejected: null });
});
