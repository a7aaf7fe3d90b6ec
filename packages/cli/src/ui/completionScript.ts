import type { CommandTree } from '../context.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** What makes a shell complete the words of a command, by its tree. */
export function completionScript(shell: Shell, tree: CommandTree): string {
  return SCRIPTS[shell](placesOf(tree, [], tree.options), tree.name);
}

/** One place in the tree: the words that lead there, and what may stand next. */
type Place = {
  words: string;
  next: readonly { text: string; about: string }[];
  choices: readonly Choice[];
  takesFile: boolean;
};
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
    { words: words.join(' '), next, choices, takesFile: tree.takesFile },
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

const SCRIPTS: Record<Shell, (places: readonly Place[], name: string) => string> = {
  bash: (
    places,
    name,
  ) => `# bash completion of ${name}: source it, or keep it in /usr/share/bash-completion/completions/${name}
_${name}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" place='' at next values files=''
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$place \${COMP_WORDS[at]}" in
${stepsTo(places)}
    esac
  done
  case "$place" in
${cases(places, bashPlace)}
  esac
  case "$values" in
    '')
      COMPREPLY=($(compgen -W "$next" -- "$word"))
      if [[ -n "$files" ]]; then COMPREPLY+=($(compgen -f -- "$word")); fi
      ;;
    -) COMPREPLY=($(compgen -f -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$values" -- "$word")) ;;
  esac
}
complete -o filenames -F _${name} ${name}
`,
  zsh: (places, name) => `#compdef ${name}
# zsh completion of ${name}: keep it as _${name} in a directory of $fpath
_${name}() {
  local place='' before="\${words[CURRENT-1]}" at files=''
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
    _describe ${name} next
    if [[ -n "$files" ]]; then _files; fi
  fi
}
if [[ "$funcstack[1]" == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`,
  fish: (places, name) => `# fish completion of ${name}: keep it in ~/.config/fish/completions/${name}.fish
function __${name}_at
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
complete -c ${name} -f
${places.flatMap((place) => fishPlace(place, name)).join('\n')}
`,
};

/** The flags whose value is one of a few, or else a file or free text. */
const caseOfFlag = (choices: readonly Choice[], line: (values: readonly string[]) => string) =>
  choices.map(({ flag, values }) => `        ${flag}) ${line(values)} ;;`).join('\n');

/** A file may stand there as well. */
const filesLine = (takesFile: boolean) => (takesFile ? '\n      files=yes' : '');

const bashPlace = ({
  next,
  choices,
  takesFile,
}: Place) => `      next=${quoted(next.map(({ text }) => text).join(' '))}${filesLine(takesFile)}
      case "$before" in
${caseOfFlag(choices, (values) => `values=${quoted(values.length > 0 ? values.join(' ') : '-')}`)}
      esac`;

const zshPlace = ({ next, choices, takesFile }: Place) => `      next=(${next
  .map(({ text, about }) => quoted(`${text.replaceAll(':', '\\:')}${about === '' ? '' : `:${about}`}`))
  .join(' ')})${filesLine(takesFile)}
      case "$before" in
${caseOfFlag(choices, (values) => `values=(${values.length > 0 ? values.map(quoted).join(' ') : '-'})`)}
      esac`;

function fishPlace({ words, next, choices, takesFile }: Place, name: string): string[] {
  const at = forFish(`__${name}_at ${forFish(words === '' ? '' : ` ${words}`)}`);
  const files = takesFile ? [`complete -c ${name} -n ${at} -F`] : [];
  const lines = next.map(({ text, about }) => {
    const what = text.startsWith('--') ? `-l ${text.slice(2)}` : `-a ${forFish(text)}`;
    const choice = choices.find(({ flag }) => flag === text);
    const takes = choice ? (choice.values.length > 0 ? ` -x -a ${forFish(choice.values.join(' '))}` : ' -r -F') : '';
    return `complete -c ${name} -n ${at} ${what}${takes}${about === '' ? '' : ` -d ${forFish(about)}`}`;
  });
  return [...files, ...lines];
}
