/** Writes docs/reference/script-library.md from the definitions of the library; a test compares the committed page with it. */
import type { NativeFunction, ParameterKind } from '../stdlib/definition.ts'
import { library } from '../stdlib/library.ts'

export function libraryPage(): string {
  return `# Functions of scripts

The standard library of the script language, in alphabetical order within each subject. Names are case-sensitive. Arguments are
all positional or all named (\`PadLeft(text: "7", length: 3)\`); a question mark marks optional parameters. No function
changes its arguments. In the service dialect \`value.name(more)\` calls the function
\`Name\` with the value as its first argument, and field names find members of the host's objects in any letter case. There the operators that
\`AllByField\`, \`AnyByField\`, \`CountIf\`, \`FindByField\` and \`WhereByField\` take compare a number with a numeric text as two numbers,
like the operators of the language; all other functions tell numbers and texts apart. The page on endpoints has the rules.

| Kind of parameter | What it accepts |
|---|---|
${Object.entries(kinds)
  .map(([kind, takes]) => `| ${kind} | ${takes} |`)
  .join('\n')}

${functionTables(library)}
`
}

/** One table per subject, in the order of the list; the functions of a subject in alphabetical order. */
export function functionTables(functions: readonly NativeFunction[]): string {
  const subjects = Map.groupBy(functions, ({ category }) => category)
  return [...subjects].map(([subject, some]) => section(subject, some)).join('\n\n')
}

const kinds: { readonly [K in ParameterKind]: string } = {
  text: 'any value; values other than texts are converted, null to `null`',
  number: 'numbers only',
  array: 'arrays; null counts as an empty one',
  object: 'objects; null counts as an empty one',
  function: 'a lambda, such as `x => x + 1`',
  any: 'any value',
}

function section(subject: string, functions: readonly NativeFunction[]): string {
  const rows = functions.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(row)
  return `## ${subject}

| Function | Gives | Meaning |
|---|---|---|
${rows.join('\n')}`
}

function row({ name, parameters, returns, about }: NativeFunction): string {
  const listed = parameters.map(
    ({ name: parameter, kind, optional }) => `${parameter}${optional ? '?' : ''}: ${kind}`,
  )
  return `| \`${name}(${listed.join(', ')})\` | ${escaped(returns)} | ${escaped(about)} |`
}

const escaped = (text: string): string => text.replace(/[|*<]/g, '\\$&')
