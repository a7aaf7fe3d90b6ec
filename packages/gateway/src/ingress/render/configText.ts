import type { ConfigFile, Owner, OwnerKind } from './desiredState.ts';

/** A configuration file while it is written: knows its depth, and who owns which lines. */
export type ConfigText = {
  /** One directive, without its semicolon. */
  line(directive: string): void;
  block(head: string, content: () => void): void;
  /** What is written meanwhile belongs to this object. Within another's lines the inner one counts. */
  owned(kind: OwnerKind, id: number, content: () => void): void;
  /** What is written meanwhile stays only when all of it could be written. @throws whatever `content` throws */
  wholly(content: () => void): void;
  /**
   * Writes what was written for this very object the last time, whatever the file, if the depth and `how` are the same;
   * else `content`, which must depend on nothing but the object and `how`, and own no lines.
   */
  asBefore(object: object, how: string, content: () => void): void;
  file(): ConfigFile;
};

/** What was written for an object and how, how many lines that are, and how deep. */
const written = new WeakMap<object, { indent: string; how: string; text: string; count: number }>();

export function configText(path: string, owners: Owner[]): ConfigText {
  /** Each is a line, or several. */
  const parts: string[] = [];
  let count = 0;
  let indent = '';
  const add = (line: string): void => {
    parts.push(line);
    count += 1;
  };
  return {
    line: (directive) => add(`${indent}${directive};`),
    block(head, content) {
      add(`${indent}${head} {`);
      indent += '  ';
      content();
      indent = indent.slice(2);
      add(`${indent}}`);
    },
    owned(kind, id, content) {
      const from = count + 1;
      content();
      if (count >= from) owners.push({ kind, id, file: path, from, to: count });
    },
    wholly(content) {
      const before = { indent, count, parts: parts.length, owners: owners.length };
      try {
        content();
      } catch (error) {
        ({ indent, count } = before);
        parts.length = before.parts;
        owners.length = before.owners;
        throw error;
      }
    },
    asBefore(object, how, content) {
      let known = written.get(object);
      if (known?.indent !== indent || known.how !== how) {
        const before = { count, parts: parts.length };
        content();
        known = { indent, how, text: parts.splice(before.parts).join('\n'), count: count - before.count };
        written.set(object, known);
        count = before.count;
      }
      if (known.count > 0) parts.push(known.text);
      count += known.count;
    },
    file: () => ({ path, text: `${parts.join('\n')}\n` }),
  };
}
