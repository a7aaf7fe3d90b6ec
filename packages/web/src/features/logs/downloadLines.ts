import { printable } from '@sallyport/sdk';
import { saveFile } from '../../data/saveFile.ts';
import type { LogStore } from './createLogStore.ts';

/** Characters that may stand in a file's name on any system. */
const UNFIT = /[^\w.-]+/g;

/** Saves what is held as a text file, in which control characters are as visible as on the screen. */
export function downloadLines(store: LogStore, subject: string): void {
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const texts = store.lines().map(({ id, text }) => (store.isGap(id) ? `--- ${text}\n` : `${printable(text)}\n`));
  saveFile({
    name: `logs-${subject.replaceAll(UNFIT, '_')}-${time}Z.txt`,
    data: new Blob(texts, { type: 'text/plain;charset=utf-8' }),
  });
}
