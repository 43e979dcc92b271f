/**
 * `tripfolio explain --v1 QUERY`: the `$filter` of version 2 that says what a query of version 1 says, for people who move
 * from one to the other. Standard output holds the filter alone, on one line; what needs a human eye is noted on standard
 * error.
 */
import { Command, Option } from 'commander'
import { queryLimits } from '../config/load-config.ts'
import type { Clause } from '../query/caret/clause.ts'
import { fieldNamed } from '../query/caret/desugar-clauses.ts'
import { findQuery } from '../query/caret/find-query.ts'
import { parseClauses } from '../query/caret/parse-clauses.ts'
import { controlCharacters } from '../query/caret/problems.ts'
import { version2Filter } from '../query/caret/version-2-filter.ts'
import { printFilter } from '../query/odata/print-filter.ts'
import { type ListName, version1Datasets } from '../schema/datasets.ts'
import type { Invocation } from './invocation.ts'

type Options = {
  readonly v1: string
  readonly dataset?: ListName
  readonly data?: string
  readonly json?: boolean
}

/** In the order in which a query's own list is looked for. */
const lists: readonly ListName[] = ['bookings', 'itineraries', 'invoices']

export function explainCommand(cli: Invocation): Command {
  return new Command('explain')
    .description('Say in words of version 2 what a version 1 query asks for')
    .requiredOption(
      '--v1 <query>',
      'what stands behind query= in the address, encoded or not, or the whole address',
    )
    .addOption(
      new Option(
        '--dataset <name>',
        'what is queried (default: the list of the address, or the first that has the properties)',
      ).choices(lists),
    )
    .option('--data <folder>', 'data folder, whose settings limit the length of a query (default: ./data)')
    .option('--json', 'print JSON')
    .action((options: Options) => explain(cli, options))
}

function explain(cli: Invocation, { v1, dataset, json, ...flags }: Options): void {
  const limits = queryLimits(cli.config(flags))
  const found = findQuery(v1)
  const clauses = parseClauses(found.query, limits)
  const named = dataset ?? found.list
  const candidates = named === undefined ? bestFitting(clauses) : [named]
  const [list = 'bookings'] = candidates
  const { filter, notes } = version2Filter(clauses, list)
  print(
    cli,
    {
      dataset: list,
      filter: printFilter(filter),
      notes: [...found.ignored.map(ignoredNote), ...choiceNotes(candidates), ...notes],
    },
    json,
  )
}

/**
 * The lists with the most of the properties. Several where nothing tells them apart; where one property is misspelled,
 * the message is about that one.
 */
function bestFitting(clauses: readonly Clause[]): readonly ListName[] {
  const fitting = (list: ListName) =>
    clauses.filter(({ property }) => fieldNamed(property, version1Datasets[list]) !== undefined).length
  const most = Math.max(...lists.map(fitting))
  return lists.filter((list) => fitting(list) === most)
}

const ignoredNote = (name: string): string =>
  `version 1 ignores the parameter '${name}'; where the & before it belongs to a value, write %26`

function choiceNotes([list, ...others]: readonly ListName[]): readonly string[] {
  if (others.length === 0) return []
  const [verb, options] = [others.length === 1 ? 'has' : 'have', others.map((name) => `--dataset ${name}`)]
  return [
    `read as a query of ${list}; ${others.join(' and ')} ${verb} these properties too: say ${options.join(' or ')} if meant`,
  ]
}

type Explanation = { readonly dataset: ListName; readonly filter: string; readonly notes: readonly string[] }

function print(cli: Invocation, explanation: Explanation, json = false): void {
  const { filter, notes } = explanation
  if (json) {
    cli.printJson(explanation)
    return
  }
  if ([filter, ...notes].some((line) => CONTROL.test(line))) throw controlCharacters()
  cli.print(`${filter}\n`)
  for (const note of notes) cli.printError(`note: ${note}\n`)
}

/** Whatever may end a line on a terminal, in a log or in an editor, or mean something else than itself there. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u
