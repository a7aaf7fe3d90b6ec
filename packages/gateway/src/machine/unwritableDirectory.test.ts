import { expect, it } from 'vitest';
import { openDataDirectory } from './dataDirectory.ts';
import { StartError } from './startError.ts';

// These refuse new entries to everybody, root included; /proc does so with words that Node takes for "try the parent".
it.each(['/proc/sallyport', '/proc/sallyport/data', '/dev/null/data'])('refuses %s in a sentence, at once', (path) => {
  expect(() => openDataDirectory(path)).toThrow(StartError);
  expect(() => openDataDirectory(path)).toThrow(/SALLYPORT_DATA\.$/);
});
