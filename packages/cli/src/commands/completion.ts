import { field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { type CommandTree, command } from '../context.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const completion = command({
  description:
    'Print the completion script of a shell, made from the commands themselves. The Debian package brings them along.',
  flags: z.strictObject({ shell: field.oneOf(SHELLS) }),
  words: ['shell'],
  help: { shell: { text: 'the shell' } },
  examples: [
    'source <(sallyport completion bash)',
    'sallyport completion zsh > ~/.zfunc/_sallyport',
    'sallyport completion fish > ~/.config/fish/completions/sallyport.fish',
  ],
  async run(context, { shell }) {
    const tree = await context.tree();
    await context.io.print(SCRIPTS[shell](placesOf(tree, [], tree.options)));
  },
});

/** One place in the tree: the words that lead there, and what may stand next. */
type Place = { words: string; next: readonly { text: string; about: string }[]; choices: readonly Choice[] };
type Choice = { flag: string; values: readonly string[] };

function placesOf(tree: CommandTree, words: readonly string[], globals: CommandTree['options']): Place[] {
  const options = words.length === 0 ? globals : [...tree.options, ...globals];
  const next = [
    ...tree.commands.map(({ name, description }) => ({ text: name, about: description })),
    ...tree.choices.map((text) => ({ text, about: '' })),
    ...options.map(({ long, description }) => ({ text: long, about: description })),
    { text: '--help', about: 'print help' },
  ];
  const choices = options
    .filter(({ takesValue }) => takesValue)
    .map(({ long, choices: values }) => ({ flag: long, values }));
  return [
    { words: words.join(' '), next, choices },
    ...tree.commands.flatMap((each) => placesOf(each, [...words, each.name], globals)),
  ];
}

/** A text within single quotes, for any of the three shells. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const forFish = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** The lines by which bash and zsh find the place that the words so far lead to. */
const stepsTo = (places: readonly Place[]) =>
  places
    .filter(({ words }) => words !== '')
    .map(({ words }) => `      ${quoted(` ${words}`)}) place=${quoted(` ${words}`)} ;;`)
    .join('\n');

/** What may stand at each place, as one of them says it. */
const cases = (places: readonly Place[], body: (place: Place) => string) =>
  places
    .map((place) => `    ${quoted(place.words === '' ? '' : ` ${place.words}`)})\n${body(place)}\n      ;;`)
    .join('\n');

const SCRIPTS: Record<(typeof SHELLS)[number], (places: readonly Place[]) => string> = {
  bash: (
    places,
  ) => `# bash completion of sallyport: source it, or keep it in /usr/share/bash-completion/completions/sallyport
_sallyport() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" place='' at next values
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$place \${COMP_WORDS[at]}" in
${stepsTo(places)}
    esac
  done
  case "$place" in
${cases(places, bashPlace)}
  esac
  case "$values" in
    '') COMPREPLY=($(compgen -W "$next" -- "$word")) ;;
    -) COMPREPLY=($(compgen -f -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$values" -- "$word")) ;;
  esac
}
complete -F _sallyport sallyport
`,
  zsh: (places) => `#compdef sallyport
# zsh completion of sallyport: keep it as _sallyport in a directory of $fpath
_sallyport() {
  local place='' before="\${words[CURRENT-1]}" at
  local -a next values
  for ((at = 2; at < CURRENT; at++)); do
    case "$place \${words[at]}" in
${stepsTo(places)}
    esac
  done
  case "$place" in
${cases(places, zshPlace)}
  esac
  if (( \${#values} )); then
    [[ "\${values[1]}" == - ]] && _files || compadd -- $values
  else
    _describe sallyport next
  fi
}
if [[ "$funcstack[1]" == _sallyport ]]; then _sallyport "$@"; else compdef _sallyport sallyport; fi
`,
  fish: (places) => `# fish completion of sallyport: keep it in ~/.config/fish/completions/sallyport.fish
function __sallyport_at
    set -l place ''
    for word in (commandline -opc)[2..-1]
        switch "$place $word"
            case ${places
              .filter(({ words }) => words !== '')
              .map(({ words }) => forFish(` ${words}`))
              .join(' ')}
                set place "$place $word"
        end
    end
    test "$place" = "$argv[1]"
end
complete -c sallyport -f
${places.flatMap(fishPlace).join('\n')}
`,
};

/** The flags whose value is one of a few, or else a file or free text. */
const caseOfFlag = (choices: readonly Choice[], line: (values: readonly string[]) => string) =>
  choices.map(({ flag, values }) => `        ${flag}) ${line(values)} ;;`).join('\n');

const bashPlace = ({ next, choices }: Place) => `      next=${quoted(next.map(({ text }) => text).join(' '))}
      case "$before" in
${caseOfFlag(choices, (values) => `values=${quoted(values.length > 0 ? values.join(' ') : '-')}`)}
      esac`;

const zshPlace = ({ next, choices }: Place) => `      next=(${next
  .map(({ text, about }) => quoted(`${text.replaceAll(':', '\\:')}${about === '' ? '' : `:${about}`}`))
  .join(' ')})
      case "$before" in
${caseOfFlag(choices, (values) => `values=(${values.length > 0 ? values.map(quoted).join(' ') : '-'})`)}
      esac`;

function fishPlace({ words, next, choices }: Place): string[] {
  const at = forFish(`__sallyport_at ${forFish(words === '' ? '' : ` ${words}`)}`);
  return next.map(({ text, about }) => {
    const what = text.startsWith('--') ? `-l ${text.slice(2)}` : `-a ${forFish(text)}`;
    const choice = choices.find(({ flag }) => flag === text);
    const takes = choice ? (choice.values.length > 0 ? ` -x -a ${forFish(choice.values.join(' '))}` : ' -r -F') : '';
    return `complete -c sallyport -n ${at} ${what}${takes}${about === '' ? '' : ` -d ${forFish(about)}`}`;
  });
}
