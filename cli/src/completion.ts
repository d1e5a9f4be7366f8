import type { Command, Option } from 'commander';

/** A command with all names that lead to it, as far as completion needs it. */
interface Node {
  readonly path: string;
  readonly description: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly Option[];
  /** The values that the arguments of the command can have, where they are known. */
  readonly values: readonly string[];
}

type Script = (root: string, nodes: readonly Node[]) => string;

/** The scripts follow from the commands, so that they are never out of date. */
export function completionOf(program: Command, shell: keyof typeof SCRIPTS): string {
  return SCRIPTS[shell](program.name(), [...nodesOf(program, program.name(), program.options)]);
}

function* nodesOf(command: Command, path: string, global: readonly Option[]): Generator<Node> {
  const own = command.options.filter((option) => !global.includes(option));
  yield {
    path,
    description: command.description(),
    commands: command.commands.map((each) => ({ name: each.name(), description: each.description() })),
    options: [...own, ...global],
    values: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  for (const each of command.commands) yield* nodesOf(each, `${path} ${each.name()}`, global);
}

/** Puts text between single quotes, which every shell reads as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const flagsOf = ({ options }: Node): string[] => options.flatMap(({ long }) => long ?? []);
const wordsOf = (node: Node): string[] => [...node.commands.map(({ name }) => name), ...node.values];

const bash: Script = (root, nodes) => {
  const paths = nodes.slice(1).map(({ path }) => `      ${quoted(path)}) path=${quoted(path)} ;;`);
  const choices = nodes.flatMap(({ path, options }) =>
    options.flatMap(({ long, argChoices }) =>
      argChoices === undefined || long == null
        ? []
        : [`    ${quoted(`${path} ${long}`)}) words=${quoted(argChoices.join(' '))} ;;`],
    ),
  );
  const words = nodes.map((node) => `      ${quoted(node.path)}) words=${quoted(wordsOf(node).join(' '))} ;;`);
  const flags = nodes.map((node) => `      ${quoted(node.path)}) words=${quoted(flagsOf(node).join(' '))} ;;`);
  return `_${root}_completion() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} path=${quoted(root)} words= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path \${COMP_WORDS[index]}" in
${paths.join('\n')}
    esac
  done
  case "$path $previous" in
${choices.join('\n')}
  esac
  if [[ -z $words && $current == -* ]]; then
    case $path in
${flags.join('\n')}
    esac
  elif [[ -z $words ]]; then
    case $path in
${words.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${root}_completion ${root}
`;
};

const zsh: Script = (root, nodes) =>
  [
    `#compdef ${root}`,
    'autoload -U +X compinit && compinit',
    'autoload -U +X bashcompinit && bashcompinit',
    bash(root, nodes),
  ].join('\n');

const fish: Script = (root, nodes) => {
  const lines = nodes.flatMap((node) => {
    const start = `complete -c ${root} -n ${fishQuoted(`test "$(__${root}_path)" = "${node.path}"`)}`;
    return [
      ...node.commands.map(({ name, description }) => `${start} -f -a ${name} -d ${fishQuoted(description)}`),
      ...node.values.map((value) => `${start} -f -a ${value}`),
      ...node.options.flatMap(({ long, description, argChoices, required, optional }) =>
        long == null
          ? []
          : [
              `${start} -l ${long.slice(2)} -d ${fishQuoted(description)}` +
                (argChoices === undefined
                  ? required || optional
                    ? ' -r'
                    : ''
                  : ` -x -a ${quoted(argChoices.join(' '))}`),
            ],
      ),
    ];
  });
  return `function __${root}_path
  set -l path ${root}
  for word in (commandline -opc)[2..]
    if contains -- "$path $word" ${nodes
      .slice(1)
      .map(({ path }) => fishQuoted(path))
      .join(' ')}
      set path "$path $word"
    end
  end
  echo $path
end
${lines.join('\n')}
`;
};

/** Within single quotes, fish reads these two after a backslash. */
const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

const SCRIPTS = { bash, zsh, fish } as const;
export const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];
