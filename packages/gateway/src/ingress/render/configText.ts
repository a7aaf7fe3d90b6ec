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
  file(): ConfigFile;
};

export function configText(path: string, owners: Owner[]): ConfigText {
  const lines: string[] = [];
  let indent = '';
  return {
    line: (directive) => void lines.push(`${indent}${directive};`),
    block(head, content) {
      lines.push(`${indent}${head} {`);
      indent += '  ';
      content();
      indent = indent.slice(2);
      lines.push(`${indent}}`);
    },
    owned(kind, id, content) {
      const from = lines.length + 1;
      content();
      if (lines.length >= from) owners.push({ kind, id, file: path, from, to: lines.length });
    },
    wholly(content) {
      const before = { indent, lines: lines.length, owners: owners.length };
      try {
        content();
      } catch (error) {
        ({ indent } = before);
        lines.length = before.lines;
        owners.length = before.owners;
        throw error;
      }
    },
    file: () => ({ path, text: `${lines.join('\n')}\n` }),
  };
}
