/** Completion for zsh, with descriptions. It can be sourced after `compinit`, or be a file `_tripfolio` in the folders of `fpath`. */

import type { Expected, OptionWords } from './command-words.ts'
import { offerCases, wordCases } from './shell-cases.ts'
import { quoted, type ShellTables } from './shell-tables.ts'

export function zshScript(tables: ShellTables): string {
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
${wordCases(tables)}
  done
  if [[ -z $option && $current == --*=* ]]; then
    option=\${current%%=*}
    compset -P '*='
  fi
${offerCases(tables, { value: offer, options: describeOptions, commands: describe })}
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
