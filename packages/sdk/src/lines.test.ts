import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LogBuffer, levelOf, parseLine, printable, statusOf } from './lines.ts';

const texts = (buffer: LogBuffer) => buffer.snapshot().map((line) => line.text);

describe('the log buffer', () => {
  test('keeps the newest 1000 lines unless told otherwise', () => {
    const buffer = new LogBuffer();
    buffer.append(Array.from({ length: 1002 }, (_, index) => `line ${index}`));
    expect([buffer.size, buffer.dropped, texts(buffer).at(0)]).toEqual([1000, 2, 'line 2']);
  });

  test('hands out the same snapshot until something changes', () => {
    const buffer = new LogBuffer(3);
    buffer.append(['a']);
    const before = buffer.snapshot();
    buffer.append([]);
    expect(buffer.snapshot()).toBe(before);
    buffer.append(['b']);
    expect(buffer.snapshot()).not.toBe(before);
    expect(before.map((line) => line.text)).toEqual(['a']);
  });

  test.each([0, -1, 1.5, Number.NaN, Infinity])('cannot hold %d lines', (capacity) => {
    expect(() => new LogBuffer(capacity)).toThrow(RangeError);
    expect(() => new LogBuffer(5).resize(capacity)).toThrow(RangeError);
  });

  test('holds what a plain list would hold, whatever is done to it', () => {
    const capacity = fc.integer({ min: 1, max: 6 });
    const step = fc.oneof(
      fc.record({ append: fc.array(fc.string(), { maxLength: 9 }) }),
      fc.record({ resize: capacity }),
      fc.record({ clear: fc.constant(true) }),
    );
    fc.assert(
      fc.property(capacity, fc.array(step), (first, steps) => {
        const buffer = new LogBuffer(first);
        let size = first;
        let list: string[] = [];
        let [dropped, nextId] = [0, 0];
        for (const each of steps) {
          if ('append' in each) {
            buffer.append(each.append);
            list.push(...each.append);
            nextId += each.append.length;
          } else if ('resize' in each) buffer.resize((size = each.resize));
          else {
            buffer.clear();
            [list, dropped] = [[], 0];
          }
          dropped += Math.max(0, list.length - size);
          list = list.slice(-size);
          const firstId = nextId - list.length;
          expect(texts(buffer)).toEqual(list);
          expect(buffer.snapshot().map((line) => line.id)).toEqual(list.map((_, index) => firstId + index));
          expect([buffer.dropped, buffer.firstId, buffer.nextId]).toEqual([dropped, firstId, nextId]);
          const around = [-1, ...list.keys(), list.length].map((index) => buffer.get(firstId + index)?.text);
          expect(around).toEqual([undefined, ...list, undefined]);
        }
      }),
    );
  });
});

const own = '2026-11-21T07:10:11.123Z INFO 203.0.113.7 "GET /x HTTP/1.1" 200 1234 12ms 127.0.0.1:8080';

describe('a line of the gateway', () => {
  test('is taken apart', () => {
    expect(parseLine(own)).toEqual({
      time: '2026-11-21T07:10:11.123Z',
      level: 'INFO',
      client: '203.0.113.7',
      request: 'GET /x HTTP/1.1',
      status: 200,
      bytes: 1234,
      milliseconds: 12,
      upstream: '127.0.0.1:8080',
    });
  });

  test('may come over IPv6, without a backend, with a request that is no request', () => {
    const line = '2026-11-21T07:10:11.123Z WARN 2001:db8::1 "\\x16\\x03\\x01 \\"quoted\\"" 400 0 0ms -';
    expect(parseLine(line)).toMatchObject({
      client: '2001:db8::1',
      request: '\\x16\\x03\\x01 \\"quoted\\"',
      status: 400,
      upstream: null,
    });
  });

  test('may not know everything', () => {
    const unknown = { time: null, client: null, status: null, bytes: null, milliseconds: null, upstream: null };
    expect(parseLine('- INFO - "-" - - - -')).toEqual({ ...unknown, level: 'INFO', request: '-' });
  });

  test.each([
    '',
    'Getting logs...',
    own.slice(0, 60),
    ` ${own}`,
    own.replace('INFO', 'FATAL'),
    own.replace(' 200 ', ' OK '),
  ])('%j is none', (line) => {
    expect(parseLine(line)).toBeNull();
  });
});

const combined = (request: string, status: number, user = '-') =>
  `203.0.113.7 - ${user} [21/Nov/2026:07:10:11 +0000] "${request}" ${status} 612 "-" "curl/8.9"`;

describe('the level of a line', () => {
  test.each([
    ['what the gateway wrote', own.replace('INFO', 'ERROR'), 'ERROR'],
    ['what the gateway wrote of a good request', own, 'INFO'],
    ['what the gateway wrote of a request that it cut off', `${own.slice(0, 55)}…[cut]`, 'INFO'],
    ['a marker', '[ERROR] upstream gone', 'ERROR'],
    ['a marker of a warning', '[WARN] slow', 'WARN'],
    ['a marker of a warning in full', '[WARNING] slow', 'WARN'],
    ['a marker of information', '[INFO] started', 'INFO'],
    ['a marker of debugging', '[DEBUG] x=1', 'DEBUG'],
    ['a marker after a time', '2026-11-21 07:10:11,123 [ERROR] upstream gone', 'ERROR'],
    ['a bare level after a time', '2026-11-21T07:10:11Z WARNING slow', 'WARN'],
    ['nginx’s error log', '2026/11/21 07:10:11 [error] 12#12: *1 connect() failed', 'ERROR'],
    ['a bare level', 'ERROR: out of memory', 'ERROR'],
    ['a status of 500', combined('GET / HTTP/1.1', 502), 'ERROR'],
    ['a status of 400', combined('GET / HTTP/1.1', 404), 'WARN'],
    ['a status of 300', combined('GET / HTTP/1.1', 301), 'INFO'],
    ['the status of a stream', '203.0.113.7 [21/Nov/2026:07:10:11 +0000] TCP 502 0 0 0.001 "127.0.0.1:1883"', 'ERROR'],
    ['a good stream', '203.0.113.7 [21/Nov/2026:07:10:11 +0000] UDP 200 10 10 1.5 "127.0.0.1:53"', 'INFO'],
    ['nothing', '', null],
    ['words without a level', 'Getting logs...', null],
    ['a level within words', 'no ERROR here', null],
    ['a word that begins like a level', 'INFORMATION', null],
  ] as const)('is told by %s', (_, line, level) => {
    expect(levelOf(line)).toBe(level);
  });

  const attacks = [
    'GET /[ERROR] HTTP/1.1',
    '[ERROR] GET / HTTP/1.1',
    'GET /x?y=2026-11-21T07:10:11.123Z ERROR HTTP/1.1',
    'GET /\\x22 500 1 HTTP/1.1',
    'GET /\\" 500 1 1ms - HTTP/1.1',
    '\\" 502 0 0ms x\\" ERROR',
  ];
  test.each(attacks)('is not told by the request %j', (request) => {
    expect(levelOf(own.replace('GET /x HTTP/1.1', request))).toBe('INFO');
    expect(parseLine(own.replace('GET /x HTTP/1.1', request))).toMatchObject({ level: 'INFO', status: 200, request });
    expect(levelOf(combined(request, 200))).toBe('INFO');
  });

  test.each(['[ERROR]', 'x [21/Nov/2026:07:10:11 +0000] ERROR', 'x\\x22 500 1'])(
    'is not told by the user name %j of a visitor',
    (user) => {
      expect(levelOf(combined('GET / HTTP/1.1', 200, user))).toBe('INFO');
    },
  );

  test('is found in linear time, whatever the line', () => {
    const hostile = [
      `${own.slice(0, 45)}${'\\'.repeat(200_000)}`,
      `x - ${'['.repeat(200_000)}`,
      `x - ${'] "\\'.repeat(50_000)}`,
      '0'.repeat(200_000),
      ' '.repeat(200_000),
    ];
    // Time on the processor: what else the machine does is no matter.
    const before = process.threadCpuUsage();
    for (const line of hostile) levelOf(line);
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(5000);
  });
});

describe('the status of a line', () => {
  test.each([
    ['the gateway’s', own, 200],
    ['the gateway’s, of a request that never came', own.replace(' 200 ', ' - '), null],
    ['nginx’s', combined('GET / HTTP/1.1', 404), 404],
    ['a stream’s', '203.0.113.7 [21/Nov/2026:07:10:11 +0000] TCP 502 0 0 0.001 "127.0.0.1:1883"', 502],
    ['not what a visitor wrote', own.replace('/x', '/\\" 500 1 1ms - '), 200],
    ['none of any other line', '[ERROR] 500 of them', null],
  ])('is %s', (_, line, status) => {
    expect(statusOf(line)).toBe(status);
  });
});

describe('someone else’s text', () => {
  test.each([
    ['a colour', '\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
    ['a write to the clipboard', '\u001b]52;c;cm0gLXJm\u0007', '\\x1b]52;c;cm0gLXJm\\x07'],
    ['the one-byte form of an escape sequence', '\u009b2J', '\\x9b2J'],
    ['a line that overwrites itself', 'bad\rgood\b\b', 'bad\\x0dgood\\x08\\x08'],
    ['a line break', 'a\nb\u2028c', 'a\\x0ab\\u2028c'],
    ['text that runs the other way', 'conf\u202Egpj.exe', 'conf\\u202egpj.exe'],
    ['an isolate', '\u2066x\u2069', '\\u2066x\\u2069'],
    ['text that cannot be seen', 'a\u200Bb\uFEFF\u{E0041}', 'a\\u200bb\\ufeff\\u{e0041}'],
    ['half a character', '\uD83D!', '\\ud83d!'],
    ['NUL and DEL', '\u0000\u007F', '\\x00\\x7f'],
  ])('shows %s instead of doing it', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('is otherwise left alone', () => {
    const text = 'tab\there, "quotes" \\x1b already shown, nætt € 漢字 👩‍🚀 العربية';
    expect(printable(text)).toBe(text);
  });

  test('has no control character afterwards, and doing it twice changes nothing', () => {
    const character = fc.integer({ min: 0, max: 0x10_ffff }).map((code) => String.fromCodePoint(code));
    const low = fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCodePoint(code));
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(low, character) }), (text) => {
        const shown = printable(text);
        expect(shown).toMatch(/^(?:\t|[^\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069])*$/u);
        expect(printable(shown)).toBe(shown);
      }),
    );
  });
});
