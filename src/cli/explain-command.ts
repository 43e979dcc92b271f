/**
 * `tripfolio explain --v1 QUERY`: translates a query of version 1 into a `$filter` of version 2, for people who move from one
 * to the other. Standard output gets only the filter, on one line; standard error gets notes on what to check.
 * `tripfolio explain --apply TEXT` says what an aggregation means (src/read/explain-aggregation.ts).
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
import {
  type ExplainedAggregation,
  explainAggregation,
  explanationLines,
} from '../read/explain-aggregation.ts'
import { type ListName, version1Datasets } from '../schema/datasets.ts'
import type { Invocation } from './invocation.ts'

type Options = {
  readonly v1?: string
  readonly apply?: string
  readonly dataset?: ListName
  readonly data?: string
  readonly json?: boolean
}

/** The lists, in the order in which they are tried for a query that names none. */
const lists: readonly ListName[] = ['bookings', 'itineraries', 'invoices']

export function explainCommand(cli: Invocation): Command {
  return new Command('explain')
    .description(
      'Translate a version 1 query into a $filter of version 2, or say what an $apply of version 2 means',
    )
    .option('--v1 <query>', 'the text after query= in the address (encoded or not), or the whole address')
    .addOption(
      new Option(
        '--apply <steps>',
        'the value of $apply, not encoded; the list is bookings by default',
      ).conflicts('v1'),
    )
    .addOption(
      new Option(
        '--dataset <name>',
        'list that is queried (default: the list in the address, or the first list that has the properties)',
      ).choices(lists),
    )
    .option('--data <folder>', 'data folder; its settings limit the length of a query (default: ./data)')
    .option('--json', 'print JSON')
    .action((options: Options, command: Command) => {
      if (options.v1 === undefined && options.apply === undefined)
        command.error("error: required option '--v1 <query>' or '--apply <steps>' not specified")
      explain(cli, options)
    })
}

function explain(cli: Invocation, { v1 = '', apply, dataset, json, ...flags }: Options): void {
  const limits = queryLimits(cli.config(flags))
  if (apply !== undefined) {
    printAggregation(cli, explainAggregation(apply, dataset ?? 'bookings', limits), json)
    return
  }
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
 * The lists that have the most properties of the query; several lists in case of a tie. When one property is misspelled, the
 * others still find the list, so that the message is about the misspelled one.
 */
function bestFitting(clauses: readonly Clause[]): readonly ListName[] {
  const fitting = (list: ListName) =>
    clauses.filter(({ property }) => fieldNamed(property, version1Datasets[list]) !== undefined).length
  const most = Math.max(...lists.map(fitting))
  return lists.filter((list) => fitting(list) === most)
}

const ignoredNote = (name: string): string =>
  `version 1 ignores the parameter '${name}'; if the & before it is part of a value, write %26`

function choiceNotes([list, ...others]: readonly ListName[]): readonly string[] {
  if (others.length === 0) return []
  const [verb, options] = [others.length === 1 ? 'has' : 'have', others.map((name) => `--dataset ${name}`)]
  return [
    `read as a query of ${list}; ${others.join(' and ')} ${verb} these properties too: to choose another list, add ${options.join(' or ')}`,
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

function printAggregation(cli: Invocation, explained: ExplainedAggregation, json = false): void {
  if (json) {
    cli.printJson(explained)
    return
  }
  const lines = explanationLines(explained)
  if (lines.some((line) => CONTROL.test(line))) throw controlCharacters()
  for (const line of lines) cli.print(`${line}\n`)
}

/** Characters that may end a line on a terminal, in a log or in an editor, or have a special meaning there. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u
