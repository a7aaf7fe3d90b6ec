import { printable } from '@sallyport/sdk';
import type { LogStore } from './createLogStore.ts';
import { saveText } from './saveText.ts';

/** Characters that may stand in a file's name on any system. */
const UNFIT = /[^\w.-]+/g;

/** Saves what is held as a text file, in which control characters are as visible as on the screen. */
export function downloadLines(store: LogStore, subject: string): void {
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const texts = store.lines().map(({ id, text }) => (store.isGap(id) ? `--- ${text}\n` : `${printable(text)}\n`));
  saveText(`logs-${subject.replaceAll(UNFIT, '_')}-${time}Z.txt`, texts);
}
