import type { ConfigFile } from '../ingress/nginx/ingress.ts';
import type { Fault } from '../ingress/nginx/faults.ts';

const lineOf = ({ text }: ConfigFile, word: string): number =>
  text.split('\n').findIndex((line) => line.includes(word)) + 1;

/** What nginx does with a parameter that it does not know: it names the line. For a fake ingress. */
export const refuses =
  (word: string) =>
  (files: ConfigFile[]): Fault | null => {
    const file = files.find(({ text }) => text.includes(word));
    return file === undefined
      ? null
      : { message: `invalid parameter "${word}"`, file: file.path, line: lineOf(file, word) };
  };

/** A fault that leads nowhere. For a fake ingress. */
export const chokesOn =
  (word: string) =>
  (files: ConfigFile[]): Fault | null =>
    files.some(({ text }) => text.includes(word)) ? { message: 'something is wrong' } : null;
