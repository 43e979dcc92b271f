/** Completion for bash from version 3.2 on, which macOS has. It needs no package of helpers. */

import type { CommandWords, Expected, OptionWords } from './command-words.ts'
import { offerCases, wordCases } from './shell-cases.ts'
import { quoted, type ShellTables } from './shell-tables.ts'

export function bashScript(tables: ShellTables): string {
  return `# Completes tripfolio in bash. Made by: tripfolio completion bash

_tripfolio_offer() {
  local word quoted
  for word in "\${@:2}"; do
    if [[ $word == "$1"* ]]; then
      printf -v quoted %q "$word"
      COMPREPLY+=("$quoted")
    fi
  done
}

_tripfolio_paths() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$2")
}

_tripfolio() {
  local current=\${COMP_WORDS[COMP_CWORD]} at='' option='' word i count=0
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $option ]]; then
      # bash takes the = of --option=value for a word of its own.
      [[ $word == = ]] || option=''
      continue
    fi
${wordCases(tables)}
  done
  [[ -n $option && $current == = ]] && current=''
${offerCases(tables, { value: offer, options: offerOptions, commands: offerCommands })}
}

complete -F _tripfolio tripfolio
`
}

const offerWords = (words: readonly string[]): string =>
  `_tripfolio_offer "$current" ${words.map(quoted).join(' ')}`

const offerOptions = (options: readonly OptionWords[]): string =>
  offerWords(options.flatMap(({ names }) => names))

const offerCommands = (commands: CommandWords['commands']): string =>
  offerWords(commands.map(({ name }) => name))

function offer(expected: Expected): string {
  switch (expected.kind) {
    case 'choices':
      return offerWords(expected.words)
    case 'file':
      return '_tripfolio_paths -f "$current"'
    case 'folder':
      return '_tripfolio_paths -d "$current"'
    case 'free':
      return ':'
  }
}
