import { assert, integer, property, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAccessLine, readCutAccessLine, readDetailedLine } from './accessLine.ts';

const fields = {
  t: '1795331411.123',
  d: '2',
  s: '5',
  k: 'http',
  c: '203.0.113.7',
  r: 'GET /x HTTP/1.1',
  st: '200',
  b: '1234',
  ms: '0.012',
  u: '127.0.0.1:8080',
};
const text = (changed: Record<string, unknown>): string | undefined =>
  readAccessLine(JSON.stringify({ ...fields, ...changed }))?.text;

describe('readAccessLine', () => {
  it('writes what a person reads', () => {
    expect(text({})).toBe('2026-11-22T07:10:11.123Z INFO 203.0.113.7 "GET /x HTTP/1.1" 200 1234 12ms 127.0.0.1:8080');
  });

  it.each([
    ['200', 'INFO'],
    ['304', 'INFO'],
    ['404', 'WARN'],
    ['499', 'WARN'],
    ['500', 'ERROR'],
    ['503', 'ERROR'],
    ['', 'INFO'],
    ['5', 'INFO'],
  ])('status %j is %s', (st, level) => {
    expect(text({ st })?.split(' ')[1]).toBe(level);
  });

  it('puts a dash in the place of what is missing or no text', () => {
    expect(readAccessLine('{}')).toEqual({ names: [], text: '- INFO - "-" - - - -', time: 0 });
    expect(text({ t: 'soon', ms: '-', u: '', b: 7 })).toBe('- INFO 203.0.113.7 "GET /x HTTP/1.1" 200 - - -');
  });

  it('counts for its service and for its domain', () => {
    expect(readAccessLine(JSON.stringify(fields))?.names).toEqual(['http/5', 'domain/2']);
    expect(readAccessLine(JSON.stringify({ ...fields, k: 'tcp', d: '' }))?.names).toEqual(['tcp/5']);
    expect(readAccessLine('{"d":"7","s":"9","k":"tcp"}')?.names).toEqual(['tcp/9', 'domain/7']);
    expect(readAccessLine('{"d":"../1","s":"0","k":"http"}')?.names).toEqual([]);
    expect(readAccessLine('{"s":"1","k":"__proto__"}')?.names).toEqual([]);
  });

  it('makes the same of a plain line as of the same fields in any other order', () => {
    const plain = string({ unit: 'binary-ascii', maxLength: 20 });
    const digits = integer({ min: 0, max: 999_999 }).map(String);
    assert(
      property(record({ c: plain, r: plain, u: plain, st: digits, b: digits, s: digits, d: digits }), (changed) => {
        const all = { ...fields, ...changed };
        const reversed = Object.fromEntries(Object.entries(all).toReversed());
        expect(readAccessLine(JSON.stringify(all))).toEqual(readAccessLine(JSON.stringify(reversed)));
      }),
    );
  });

  it('escapes what would act on a terminal or fool the eye', () => {
    expect(text({ r: 'GET /\u001b[31m\u0007\r\n\u007f\u009b HTTP/1.1' })).toContain(
      '"GET /\\x1b[31m\\x07\\x0d\\x0a\\x7f\\x9b HTTP/1.1"',
    );
    expect(text({ r: 'GET /\u202egpj.exe\u2066\u200f\ufeff\u2028' })).toContain(
      '"GET /\\u{202e}gpj.exe\\u{2066}\\u{200f}\\u{feff}\\u{2028}"',
    );
    expect(text({ u: 'a\u001b]0;x' })).toContain('a\\x1b]0;x');
    expect(text({ r: 'GET /grüße/日本' })).toContain('"GET /grüße/日本"');
  });

  it('cannot be made to look as if the request had ended earlier', () => {
    expect(text({ r: 'GET /" 200 1 1ms x\\' })).toContain('"GET /\\x22 200 1 1ms x\\x5c" 200');
  });

  it('refuses what is not an object in JSON', () => {
    for (const broken of ['', 'x', '{"t":', '[]', 'null', '"text"']) expect(readAccessLine(broken)).toBeNull();
  });

  it('bounds the length, with a mark', () => {
    const long = text({ r: '\u0001'.repeat(30_000) });
    expect(long).toHaveLength(65_536);
    expect(long).toMatch(/…\[cut\]$/);
  });
});

describe('readDetailedLine', () => {
  const details = (changed: Record<string, unknown>): unknown => {
    const [line, below = '', ...others] = (readDetailedLine(JSON.stringify({ ...fields, ...changed })) ?? '').split(
      '\n',
    );
    expect([line, others]).toEqual([text(changed), []]);
    return JSON.parse(below);
  };

  it('tells below the line what else is known', () => {
    const known = { h: 'app.example.test', a: 'curl/8 "', i: '321', w: '0.002, 0.0105 : 0.1' };
    expect(details(known)).toEqual({
      host: 'app.example.test',
      agent: 'curl/8 "',
      received: 321,
      backendMilliseconds: 113,
      service: { type: 'http', id: 5 },
    });
  });

  it('escapes what a terminal would obey or hide in the host, which a visitor makes up', () => {
    expect(details({ h: '\u009b31mx\u202e.localhost', a: '\u009bm' })).toMatchObject({
      host: '\\x9b31mx\\u{202e}.localhost',
      agent: '\\x9bm',
    });
  });

  it('leaves out what is not known, or no text', () => {
    expect(details({ h: '', a: 7, i: '', w: '-', s: '' })).toEqual({});
    expect(details({ k: 'constructor' })).toEqual({});
    expect(readDetailedLine('[]')).toBeNull();
  });
});

describe('readCutAccessLine', () => {
  it('saves the beginning, also when an escape sequence was cut through', () => {
    const json = '{"t":"1795331411.123","d":"2","s":"5","k":"http","c":"203.0.113.7","r":"GET /a\\u00';
    for (const cut of [json, json.slice(0, -1), json.slice(0, -4), json.slice(0, -5)]) {
      expect(readCutAccessLine(cut)?.line.text).toMatch(
        /^2026-11-22T07:10:11.123Z INFO 203.0.113.7 "GET \/a?…\[cut\]" - - - -$/,
      );
    }
    expect(readCutAccessLine('{"t":"1","d":')).toBeNull();
  });
});
