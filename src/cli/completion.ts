import type { Command, Option } from 'commander';
import { command } from './command.ts';

const SHELLS = { bash: forBash, zsh: forZsh, fish: forFish };

/** The scripts are made from the commands themselves, so they have every command and option there is. */
export const completion = command('completion', {
  about: 'print what makes a shell complete commands and options',
  argument: ['<shell>', 'which shell', Object.keys(SHELLS)],
  examples: [
    'hourkeep completion bash > /etc/bash_completion.d/hourkeep',
    'hourkeep completion zsh > /usr/local/share/zsh/site-functions/_hourkeep',
    'hourkeep completion fish > ~/.config/fish/completions/hourkeep.fish',
  ],
  start: ({ id: shell }, program) => SHELLS[shell as keyof typeof SHELLS](pathsOf(program)),
  print: (script) => script.split('\n'),
});

/** A command by the words that lead to it, such as ['host', 'add'], and what may follow it. */
interface Path {
  readonly words: readonly string[];
  readonly children: readonly Command[];
  readonly choices: readonly string[];
  readonly options: readonly Option[];
}

function pathsOf(command: Command, words: readonly string[] = []): Path[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return [
    { words, children, choices, options: help.visibleOptions(command) },
    ...children.flatMap((child) => pathsOf(child, [...words, child.name()])),
  ];
}

function forBash(paths: readonly Path[]): string {
  return `${wordsFunction(paths)}
_hourkeep() {
  local words
  words=$(_hourkeep_words "\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _hourkeep hourkeep`;
}

/** Works both from a folder of completions, where the first line counts, and with "source". */
function forZsh(paths: readonly Path[]): string {
  return `#compdef hourkeep
${wordsFunction(paths)}
_hourkeep() {
  local -a candidates
  candidates=(\${=$(_hourkeep_words "\${(@)words[2,CURRENT-1]}")})
  if (( $#candidates )); then compadd -- $candidates; else _files; fi
}
if [ "$funcstack[1]" = _hourkeep ]; then _hourkeep "$@"; else compdef _hourkeep hourkeep; fi`;
}

/**
 * A function that both shells understand: takes the words before the cursor and prints what may follow. After an option
 * that wants a value it prints nothing, and the shell offers files.
 */
function wordsFunction(paths: readonly Path[]): string {
  const known = paths.filter(({ words }) => words.length > 0).map(({ words }) => `'${key(words)}'`);
  const cases = paths.map(({ words, children, choices, options }) => {
    const names = (list: readonly Option[]) => list.flatMap(({ long, short }) => long ?? short ?? []);
    const valued = names(options.filter(({ required, optional }) => required || optional));
    const wantsValue = `case " ${valued.join(' ')} " in *" $last "*) return ;; esac; `;
    const offered = [...children.map((child) => child.name()), ...choices, ...names(options)].join(' ');
    return `    '${key(words)}') ${valued.length > 0 ? wantsValue : ''}echo '${offered}' ;;`;
  });
  return `_hourkeep_words() {
  local at= last= word
  for word in "$@"; do
    case "$at $word" in
      ${known.join(' | ')}) at="$at $word" ;;
    esac
    last=$word
  done
  case "$at" in
${cases.join('\n')}
  esac
}`;
}

function key(words: readonly string[]): string {
  return words.map((word) => ` ${word}`).join('');
}

function forFish(paths: readonly Path[]): string {
  const lines = paths.flatMap(({ words, children, choices, options }) => {
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const names = children.map((child) => child.name()).join(' ');
    const here = names === '' ? seen : [...seen, `not __fish_seen_subcommand_from ${names}`];
    const line = (rest: string, about: string) =>
      `complete -c hourkeep -n ${quoted(here.join('; and '))} ${rest} -d ${quoted(about)}`;
    return [
      ...children.map((child) => line(`-f -a ${child.name()}`, child.description())),
      ...choices.map((choice) => line(`-f -a ${choice}`, '')),
      ...options.flatMap(({ long, required, description }) =>
        typeof long !== 'string' ? [] : line(`-l ${long.slice(2)}${required ? ' -r' : ''}`, description),
      ),
    ];
  });
  return lines.join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
