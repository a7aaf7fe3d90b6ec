/**
 * Measures things in turns, so that whatever else the machine does meets all of them; every other turn goes backwards,
 * so that what one leaves behind does, too. The first turns do not count.
 * @template {string} Name
 * @param {{ warmUp: number, turns: number }} options
 * @param {Record<Name, (turn: number) => Promise<number>>} measures
 * @returns {Promise<Record<Name, number[]>>}
 */
export async function inTurns({ warmUp, turns }, measures) {
  const entries = /** @type {[Name, (turn: number) => Promise<number>][]} */ (Object.entries(measures));
  /** @type {Record<string, number[]>} */
  const measured = Object.fromEntries(entries.map(([name]) => [name, []]));
  for (let turn = 0; turn < warmUp + turns; turn += 1) {
    for (const [name, measure] of turn % 2 === 0 ? entries : entries.toReversed()) {
      const value = await measure(turn);
      if (turn >= warmUp) measured[name]?.push(value);
    }
  }
  return measured;
}

/** Milliseconds that `action` takes. */
export async function millisecondsOf(action) {
  const begin = performance.now();
  await action();
  return performance.now() - begin;
}
