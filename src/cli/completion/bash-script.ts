/** Completion for bash from version 3.2 on, which macOS has. It needs no package of helpers. */
import type { Expected } from './command-words.ts'
import { quoted, type ShellTables } from './shell-tables.ts'

export function bashScript({ moves, values, options, commands, arguments: args }: ShellTables): string {
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
    case "$at|$word" in
${moves.map(({ key, path }) => `      ${quoted(key)}) at=${quoted(path)} ;;`).join('\n')}
      ${values.map(({ key }) => quoted(key)).join(' | ')}) option=$word ;;
      *'|-'*) ;;
      *) count=$((count + 1)) ;;
    esac
  done
  [[ -n $option && $current == = ]] && current=''
  if [[ -n $option ]]; then
    case "$at|$option" in
${values.map(({ key, value }) => `      ${quoted(key)}) ${offer(value)} ;;`).join('\n')}
    esac
  elif [[ $current == -* ]]; then
    case "$at" in
${options.map(({ path, options }) => `      ${quoted(path)}) ${offerWords(options.flatMap(({ names }) => names))} ;;`).join('\n')}
    esac
  else
    case "$at|$count" in
${commands.map(({ path, commands }) => `      ${quoted(`${path}|0`)}) ${offerWords(commands.map(({ name }) => name))} ;;`).join('\n')}
${args.map(({ path, at, value }) => `      ${quoted(`${path}|`)}${at}) ${offer(value)} ;;`).join('\n')}
    esac
  fi
}

complete -F _tripfolio tripfolio
`
}

const offerWords = (words: readonly string[]): string =>
  `_tripfolio_offer "$current" ${words.map(quoted).join(' ')}`

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
