import { describe, expect, it } from 'vitest';
import { bypassPatterns, bypassProblem, PATH_MAX_CHARS } from './bypassPatterns.ts';

const opens = (lines: string, path: string): boolean => bypassPatterns(lines).opens(path);

describe('patterns of paths that need no sign-in', () => {
  it('open what they match, and paths are not theirs to open', () => {
    const lines = '/plain\n^/assets/.*\\.css$\n\n^/(?i:hook)';
    expect(bypassProblem(lines)).toBeNull();
    expect(opens(lines, '/assets/a/site.css')).toBe(true);
    expect(opens(lines, '/HOOK/7')).toBe(true);
    for (const path of ['/plain', '/assets/site.js', '/x/assets/site.css', '/']) expect(opens(lines, path)).toBe(false);
    expect(opens('/plain', '/plain')).toBe(false);
  });

  it.each(['^/(?=a)', '^/(?!admin)', '^/(a)\\1', '^/(?>a)', '^/a++', '^(', '^[', `^${'('.repeat(3000)}`])(
    'are refused with a sentence: %s',
    (line) => {
      expect(bypassProblem(`^/fine\n${line}`)).toMatch(/^The pattern \^.* cannot be used: .+\. Lookaround/);
      expect(opens(line, '/a')).toBe(false);
      // The others are none the worse for it.
      expect(opens(`^/fine\n${line}`, '/fine')).toBe(true);
    },
  );

  it('are refused when they are too large together, also when the text is short', () => {
    const many = Array.from({ length: 90 }, (_, index) => `^/path-number-${index}/`).join('\n');
    for (const lines of ['^/.{1000}', '^/(a{30}){30}', many]) {
      expect(bypassProblem(lines), lines).toMatch(/too complicated/);
      expect(opens(lines, '/path-number-1/')).toBe(false);
    }
  });

  it('are read in a bounded time, however wide their classes are', () => {
    // Each of these took seconds, while no one else was answered.
    const wide = ['[B-\u{1f000}]', '\\PL', '\\pL|\\PL|', '[a-\u{10ffff}]', '[\\x41-\u{1f000}]'];
    for (const atom of wide) {
      const lines = `^(?i)/${atom.repeat(3900 / atom.length)}`;
      // Time on the processor: what else the machine does is no matter.
      const before = process.threadCpuUsage();
      expect(bypassProblem(lines), atom).toMatch(/too complicated/);
      expect(process.threadCpuUsage(before).user / 1000, atom).toBeLessThan(1000);
      expect(opens(lines, '/a')).toBe(false);
    }
    expect(bypassProblem('^(?i)/[a-zа-я0-9]+/[^一-龥]\\pL$')).toBeNull();
  });

  it.each([7, '\u0000', Buffer.from('^/'), {}, true])('that are no text open nothing: %s', (value) => {
    expect(bypassPatterns(value as never).opens('/')).toBe(false);
  });

  it('take a bounded time, however hostile they and the path are', () => {
    const hostile = [
      '^/(a+)+$',
      '^/.*a.{20}$',
      `^/${'(.*a)'.repeat(50)}$`,
      `^/${'(a?)'.repeat(90)}a$`,
      '^/(.{0,30}){0,10}x$',
    ];
    const paths = ['a', 'ab'].map((letters) =>
      Array.from({ length: PATH_MAX_CHARS - 1 }, (_, index) => letters[(index * 7919) % letters.length]).join(''),
    );
    for (const lines of hostile) {
      const patterns = bypassPatterns(lines);
      // An engine that goes back would take 2 ** 1000 steps.
      for (const path of paths) expect(patterns.opens(`/${path}-`), lines).toBe(false);
    }
    expect(opens('^/', `/${'a'.repeat(PATH_MAX_CHARS)}`)).toBe(false);
  });
});
