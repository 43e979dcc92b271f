/** Completion for fish, with descriptions. */
import type { Expected } from './command-words.ts'
import { quoted, type ShellTables } from './shell-tables.ts'

export function fishScript({ moves, values, options, commands, arguments: args }: ShellTables): string {
  return `# Completes tripfolio in fish. Made by: tripfolio completion fish

# Whether the words before the cursor are those of the command, followed by so many arguments ('*' for any number).
function __tripfolio_at
    set -l at ''
    set -l option ''
    set -l count 0
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test -n "$option"
            set option ''
            continue
        end
        switch "$at|$word"
${moves.map(({ key, path }) => `            case ${quoted(key)}\n                set at ${quoted(path)}`).join('\n')}
            case ${values.map(({ key }) => quoted(key)).join(' ')}
                set option $word
            case '*|-*'
                true
            case '*'
                set count (math $count + 1)
        end
    end
    test "$at" = "$argv[1]"; and test "$argv[2]" = '*' -o "$argv[2]" = "$count"
end

complete -c tripfolio -f
${commands
  .flatMap(({ path, commands }) =>
    commands.map(({ name, description }) => `${at(path, '0')} -a ${quoted(name)} -d ${quoted(description)}`),
  )
  .join('\n')}
${options
  .flatMap(({ path, options }) =>
    options.map(
      ({ names, description, value }) =>
        `${at(path, '*')} ${names.map(flag).join(' ')}${value === null ? '' : ` ${taken(value)}`} -d ${quoted(description)}`,
    ),
  )
  .join('\n')}
${args.map(({ path, at: place, value }) => `${at(path, place)} ${taken(value)}`).join('\n')}
`
}

const at = (path: string, count: string): string =>
  `complete -c tripfolio -n ${quoted(`__tripfolio_at "${path}" "${count}"`)}`

const flag = (name: string): string => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)

/** What an option takes, or what an argument is. */
function taken(expected: Expected): string {
  switch (expected.kind) {
    case 'choices':
      return `-x -a ${quoted(expected.words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' '))}`
    case 'file':
      return '-r -F'
    case 'folder':
      return "-x -a '(__fish_complete_directories)'"
    case 'free':
      return '-x'
  }
}
