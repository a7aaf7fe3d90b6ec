/** A text that troff takes for nothing but text. */
const plain = (text) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

/**
 * The manual page of the command line, out of its own help.
 *
 * @param {(argv: string[]) => string} sallyport runs the built command
 * @param {{ version: string, description: string }} about
 */
export function manPage(sallyport, { version, description }) {
  const help = sallyport(['--help']);
  return [
    `.TH SALLYPORT 1 "" "sallyport ${plain(version)}" "User Commands"`,
    '.SH NAME',
    `sallyport \\- ${plain(description)}`,
    '.SH SYNOPSIS',
    '.B sallyport',
    '[options] [command]',
    '.SH DESCRIPTION',
    '.nf',
    plain(help.trimEnd()),
    '.fi',
    '.SH SEE ALSO',
    plain('sallyport COMMAND --help explains a command, with examples.'),
    '',
  ].join('\n');
}
