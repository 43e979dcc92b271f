/** Completion for zsh, with descriptions. It can be sourced after `compinit`, or be a file `_tripfolio` in the folders of `fpath`. */
import type { Expected } from './command-words.ts'
import { quoted, type ShellTables } from './shell-tables.ts'

export function zshScript({ moves, values, options, commands, arguments: args }: ShellTables): string {
  return `#compdef tripfolio
# Completes tripfolio in zsh. Made by: tripfolio completion zsh

_tripfolio() {
  local at='' option='' word current=\${words[CURRENT]}
  local -i i count=0
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $option ]]; then
      option=''
      continue
    fi
    case "$at|$word" in
${moves.map(({ key, path }) => `      ${quoted(key)}) at=${quoted(path)} ;;`).join('\n')}
      ${values.map(({ key }) => quoted(key)).join(' | ')}) option=$word ;;
      *'|-'*) ;;
      *) count+=1 ;;
    esac
  done
  if [[ -z $option && $current == --*=* ]]; then
    option=\${current%%=*}
    compset -P '*='
  fi
  if [[ -n $option ]]; then
    case "$at|$option" in
${values.map(({ key, value }) => `      ${quoted(key)}) ${offer(value)} ;;`).join('\n')}
    esac
  elif [[ $current == -* ]]; then
    case "$at" in
${options
  .map(({ path, options }) => {
    const rows = options.flatMap(({ names, description }) => names.map((name) => ({ name, description })))
    return `      ${quoted(path)}) ${describe(rows)} ;;`
  })
  .join('\n')}
    esac
  else
    case "$at|$count" in
${commands.map(({ path, commands }) => `      ${quoted(`${path}|0`)}) ${describe(commands)} ;;`).join('\n')}
${args.map(({ path, at, value }) => `      ${quoted(`${path}|`)}${at}) ${offer(value)} ;;`).join('\n')}
    esac
  fi
}

# As a file of fpath it is run to complete; sourced, it only has to be made known.
if [[ \${funcstack[1]} == _tripfolio ]]; then
  _tripfolio "$@"
else
  compdef _tripfolio tripfolio
fi
`
}

const describe = (rows: readonly { readonly name: string; readonly description: string }[]): string => {
  const described = rows.map(({ name, description }) =>
    quoted(`${name.replaceAll(':', '\\:')}:${description}`),
  )
  return `offered=(${described.join(' ')}); _describe tripfolio offered`
}

function offer(expected: Expected): string {
  switch (expected.kind) {
    case 'choices':
      return `compadd -- ${expected.words.map(quoted).join(' ')}`
    case 'file':
      return '_files'
    case 'folder':
      return '_files -/'
    case 'free':
      return ':'
  }
}
