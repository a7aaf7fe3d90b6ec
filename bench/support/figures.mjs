/**
 * A line of the table. `value` and `against` were measured in turns, in the same unit; `ratio` is the one by the other;
 * `mark` is what `value` must meet. `reason` says why it does not, as far as that was found out.
 *
 * @typedef {{ name: string, value: number, unit: string, against?: number, ratio?: number, mark: number, met: boolean, reason?: string }} Figure
 */

/** @returns {Figure} of something that may be at most `mark`; `against`, if given, only stands next to the value */
export const atMost = (mark, figure) => compared(figure, mark, figure.value <= mark);

/** @returns {Figure} of something that must be at least `mark`. */
export const atLeast = (mark, figure) => compared(figure, mark, figure.value >= mark);

/** @returns {Figure} of something that may be at most `times` as much as what it is measured against. */
export const atMostTimes = (times, figure) => atMost(figure.against * times, figure);

/** @returns {Figure} of something that must be at least `times` as much as what it is measured against. */
export const atLeastTimes = (times, figure) => atLeast(figure.against * times, figure);

const compared = ({ name, unit, value, against }, mark, met) => ({
  name,
  value: rounded(value),
  unit,
  ...(against !== undefined && { against: rounded(against), ratio: value / against }),
  mark: rounded(mark),
  met,
});

/** @returns {Figure} of something that could not be measured, which is a mark that is not met. */
export const notMeasured = (mark, { name, unit, reason }) => ({ name, value: 0, unit, mark, met: false, reason });

/** @returns {Figure} the figure, with the reason if it does not meet its mark */
export const explained = (figure, reason) => (figure.met ? figure : { ...figure, reason });

/** Three digits are all that a measurement is worth. */
function rounded(value) {
  if (value === 0 || !Number.isFinite(value)) return value;
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return Number(value.toFixed(Math.min(digits, 3)));
}

/** The value that `share` of all values are not above; `share` is from 0 to 1. */
export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))];
}

/**
 * Of things measured in turns, the turn in which they compare as they do in the middle of all turns. What one turn
 * measured is compared with that turn alone: a machine is seldom as fast as it was a minute ago.
 * @param {number[]} values
 * @param {number[]} againsts of the same turns
 */
export function middleTurn(values, againsts) {
  const turns = values.map((value, turn) => ({ value, against: againsts[turn] ?? Number.NaN }));
  const sorted = turns.toSorted((a, b) => a.value / a.against - b.value / b.against);
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? { value: Number.NaN, against: Number.NaN };
}

/** The value in the middle. */
export const median = (values) => percentile(values, 0.5);

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
