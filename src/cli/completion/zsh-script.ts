/** Completion for zsh, with descriptions. It can be sourced after `compinit`, or be a file `_tripfolio` in the folders of `fpath`. */
import { caseLines } from './case-lines.ts'
import type { Expected, OptionWords } from './command-words.ts'
import { quoted, type ShellTables } from './shell-tables.ts'

export function zshScript(tables: ShellTables): string {
  const cases = caseLines(tables, { value: offer, options: describeOptions, commands: describe })
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
${cases.words}
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
${cases.values}
    esac
  elif [[ $current == -* ]]; then
    case "$at" in
${cases.options}
    esac
  else
    case "$at|$count" in
${cases.arguments}
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

const describeOptions = (options: readonly OptionWords[]): string =>
  describe(options.flatMap(({ names, description }) => names.map((name) => ({ name, description }))))

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
