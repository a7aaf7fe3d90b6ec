/**
 * What a row of `packages/web/SPEC.md` may wait for, because the gateway itself does not have it yet.
 */
const AWAITED = ['the tunnel', 'certbot', 'sign-in'];

/**
 * A statement of the console's specification.
 * @typedef {{ statement: string, files: string[], proofs: { file: string, title: string }[], open: string | null }} Row
 */

/** The rows of the tables, under whatever heading they stand. @param {string} markdown @returns {Row[]} */
export function rowsOf(markdown) {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|') && !/^\| *(?:Statement |-)/.test(line));
  return lines.map((line) => {
    const [statement = '', carriers = '', proved = ''] = line.split('|').slice(1, -1);
    return {
      statement: statement.trim(),
      files: [...carriers.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
      proofs: [...proved.matchAll(/`([^`]+)` "([^"]*)"/g)].map(([, file = '', title = '']) => ({ file, title })),
      open: /^ *open: waits for (.+?) *$/.exec(proved)?.[1] ?? null,
    };
  });
}

/** Where a file of the table is, from the repository's root. @param {string} file */
const placeOf = (file) => (/^(?:packages|e2e|scripts)\//.test(file) ? file : `packages/web/src/${file}`);

/** Source as it reads: on one line, its entities and breaks between expressions undone. @param {string} source */
const flat = (source) =>
  source
    .replaceAll('&apos;', "'")
    .replaceAll("\\'", "'")
    .replaceAll(/\{' '\}/g, ' ')
    .replaceAll(/\s+/g, ' ');

/** Whether a test of that title is in the source. @param {string} source @param {string} title */
function hasTest(source, title) {
  const text = title.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  // `it('title'`, or after a table: `])('title'`.
  return new RegExp(`(?:\\b(?:it|test)|\\))\\(\\s*(['"\`])${text}\\1`).test(source);
}

/**
 * What is wrong with a row.
 * @param {Row} row
 * @param {(path: string) => string | null} read the text of a file of the repository; null when there is none
 * @returns {string[]}
 */
export function faultsOf({ statement, files, proofs, open }, read) {
  const all = [...files, ...proofs.map(({ file }) => file)];
  const texts = all.map((file) => read(placeOf(file)));
  const missing = all.filter((_, index) => texts[index] === null).map((file) => `there is no ${file}`);
  const untested = proofs
    .filter(({ file, title }) => !hasTest(read(placeOf(file)) ?? '', title))
    .map(({ file, title }) => `${file} has no test "${title}"`);
  const source = flat(texts.join('\n'));
  const unworded = [...statement.matchAll(/"([^"]+)"/g)]
    .map(([, wording = '']) => wording)
    .filter((wording) => !source.includes(wording))
    .map((wording) => `nothing says "${wording}"`);
  const empty = [
    ...(files.length === 0 ? ['no file carries it'] : []),
    ...(proofs.length === 0 && open === null ? ['no test proves it'] : []),
    ...(open !== null && !AWAITED.includes(open) ? [`it may not wait for ${open}`] : []),
  ];
  return [...empty, ...missing, ...untested, ...unworded].map((fault) => `${statement}: ${fault}`);
}
