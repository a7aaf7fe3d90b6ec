import { array, assert, boolean, constantFrom, integer, oneof, property, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAccessLine } from './accessLine.ts';
import { LONGEST_RAW_LINE, readKeptLines } from './keptLines.ts';
import { createLineSorter, type LineSorter } from './lineSorter.ts';
import { rawLine } from '../testing/logTrial.ts';

/** What each log gets. */
function sort(text: string, sorter: LineSorter<never> = createLineSorter()): Record<string, string> {
  const bytes = Buffer.from(text);
  const found: Record<string, string> = {};
  sorter.sort(bytes, ({ names }, from, to) => {
    for (const name of names) found[name] = (found[name] ?? '') + bytes.toString('utf8', from, to);
  });
  return found;
}

describe('createLineSorter', () => {
  it('gives each line to its service and to its domain', () => {
    const [web, other, tcp] = [rawLine('/a'), rawLine('/b', { s: '6' }), rawLine('/c', { d: '', k: 'tcp' })];
    const none = rawLine('/d', { s: '', d: '', k: 'http' });
    expect(sort(web + other + tcp + web + none)).toEqual({
      'http/5': web + web,
      'http/6': other,
      'domain/2': web + other + web,
      'tcp/5': tcp,
    });
  });

  it('says whose a line is as reading it does, for any lines in any order', () => {
    const id = oneof(integer({ min: 1, max: 12 }).map(String), constantFrom('', '0', '999999', '123456789012345'));
    const fields = record({ d: id, s: id, k: constantFrom('http', 'tcp', 'udp', ''), r: string({ unit: 'grapheme' }) });
    const odd = constantFrom(
      '{}',
      '',
      'x',
      '{"t":"',
      '{"s":"5","k":"http"}',
      ' {"d":"3"}',
      '[1]',
      '{"t":"1","d":"2"',
      '#3-4',
    );
    const line = oneof({ weight: 4, arbitrary: fields.map((one) => rawLine('', one).slice(0, -1)) }, odd);
    assert(
      property(array(line, { maxLength: 40 }), boolean(), (lines, again) => {
        const sorter = createLineSorter<never>();
        const text = lines.map((one) => `${one}\n`).join('');
        if (again) sort(text, sorter);
        const expected: Record<string, string> = {};
        for (const one of lines) {
          for (const name of readAccessLine(one)?.names ?? []) expected[name] = `${expected[name] ?? ''}${one}\n`;
        }
        expect(sort(text, sorter)).toEqual(expected);
        expect(sorter.skipped()).toBe(lines.filter((one) => readAccessLine(one) === null).length * (again ? 2 : 1));
      }),
    );
  });

  it('saves the line behind one whose end a full disk had cut off, and gives it to none but its own log', () => {
    const whole = rawLine('/{"t":"{', { s: '6', d: '' });
    const others = rawLine('/x').repeat(3);
    for (let length = 1; length < rawLine('/cut').length - 1; length += 1) {
      const cut = rawLine('/cut').slice(0, length);
      expect(sort(others + cut + whole + others)).toEqual({
        'http/6': whole,
        'http/5': others + others,
        'domain/2': others + others,
      });
      const sorter = createLineSorter<never>();
      expect(sort(`${cut}\n`, sorter)).toEqual({});
      expect(sorter.skipped()).toBe(1);
    }
  });

  it('keeps the beginning of a line that is too long, where it ends', () => {
    const long = rawLine(`/${'ü'.repeat(LONGEST_RAW_LINE)}`);
    const bytes = Buffer.from(rawLine('/a') + long + rawLine('/b'));
    const runs: [number, number][] = [];
    createLineSorter().sort(bytes, (_, from, to) => runs.push([from, to]));
    const end = bytes.length - rawLine('/b').length;
    expect(runs.at(-1)).toEqual([end, bytes.length]);
    const [from = 0, to = 0] = runs[1] ?? [];
    expect([to - from, to]).toEqual([LONGEST_RAW_LINE + 2, end]);
    expect(readKeptLines(bytes.subarray(from, to))).toEqual([expect.stringMatching(/ "GET \/ü+.?" .*…\[cut\]$/)]);
  });

  it('forgets what was noted of whose lines are', () => {
    const sorter = createLineSorter<string>();
    const owners: (string | null)[] = [];
    const note = (): void =>
      sorter.sort(Buffer.from(rawLine('/a')), (group) => {
        owners.push(group.owner);
        group.owner = 'known';
      });
    note();
    note();
    sorter.forget();
    note();
    expect(owners).toEqual([null, 'known', null]);
  });
});
