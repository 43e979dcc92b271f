/** Reads the options of functions that query records. */
import type { UnknownLabels } from '../../../query/bind/resolve-path.ts'
import { numberToText, type Value } from '../../../script/values.ts'
import { refusedArgument } from '../failures.ts'
import { optionsOf, plainText, wrongArgument } from '../host-arguments.ts'
import type { RecordsQuestion } from '../query-records.ts'

type Parameter = { readonly name: string; readonly takes: 'text' | 'number' }

const recordOptions = {
  filter: { name: '$filter', takes: 'text' },
  orderBy: { name: '$orderby', takes: 'text' },
  select: { name: '$select', takes: 'text' },
} as const satisfies { readonly [option: string]: Parameter }

/** The options of functions that return an answer of version 2. */
export const queryOptions: { readonly [option: string]: Parameter } = {
  ...recordOptions,
  apply: { name: '$apply', takes: 'text' },
  page: { name: '$page', takes: 'number' },
  pageSize: { name: '$pageSize', takes: 'number' },
}

/** The options of functions that go over all records. */
export const eachOptions: { readonly [option: string]: Parameter } = recordOptions

export type AskedQuery = Pick<RecordsQuestion, 'parameters' | 'unknownLabels'>

/**
 * The letter case of an option does not matter, and it may begin with `$`. Refuses unknown options: ignoring a misspelt one would
 * return other records than the script asked for.
 *
 * @throws ScriptFailure JM5104, JM5920
 */
export function queryOf(
  name: string,
  options: Value | undefined,
  known: { readonly [option: string]: Parameter },
): AskedQuery {
  const byLowerCase = new Map(Object.entries(known).map(([option, taken]) => [option.toLowerCase(), taken]))
  const parameters: (readonly [string, string])[] = []
  let unknownLabels: AskedQuery['unknownLabels']
  for (const [key, value] of optionsOf(name, options)) {
    if (key === 'unknownlabels') {
      unknownLabels = unknownLabelsOf(name, value)
      continue
    }
    const parameter = byLowerCase.get(key.replace(/^\$/, ''))
    if (parameter === undefined) {
      const names = Object.keys(known).join(', ')
      throw refusedArgument(
        `${name} has the options ${names} and unknownLabels, but not '${key.slice(0, 40)}'`,
      )
    }
    if (value === null) continue
    // Page numbers often come from the query of the request, where every value is a text.
    const text = typeof value === 'number' && parameter.takes === 'number' ? numberToText(value) : value
    if (typeof text !== 'string') throw wrongArgument(name, `a ${parameter.takes} as ${key}`, value)
    parameters.push([parameter.name, text])
  }
  return unknownLabels === undefined ? { parameters } : { parameters, unknownLabels }
}

/** @throws ScriptFailure JM5104 */
export function clientOf(name: string, clientNumber: Value): string {
  const client = plainText(clientNumber)
  if (client === null) throw wrongArgument(name, 'a text as client number', clientNumber)
  return client
}

/** The null of the language means the choice of that name, as in the settings file. */
function unknownLabelsOf(name: string, value: Value): UnknownLabels {
  if (value === 'refuse') return 'refuse'
  if (value === 'null' || value === null) return 'null'
  throw wrongArgument(name, 'refuse or null as unknownLabels', value)
}
