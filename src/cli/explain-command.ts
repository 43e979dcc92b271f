/**
 * `tripfolio explain --v1 QUERY`: the `$filter` of version 2 that says what a query of version 1 says, for people who move
 * from one to the other. Standard output holds the filter alone; what needs a human eye is noted on standard error.
 */
import { Command, Option } from 'commander'
import { loadConfig, queryLimits } from '../config/load-config.ts'
import type { Clause } from '../query/caret/clause.ts'
import { fieldNamed } from '../query/caret/desugar-clauses.ts'
import { parseClauses } from '../query/caret/parse-clauses.ts'
import { version2Filter } from '../query/caret/version-2-filter.ts'
import { printFilter } from '../query/odata/print-filter.ts'
import { type ListName, version1Datasets } from '../schema/datasets.ts'

type Options = {
  readonly v1: string
  readonly dataset?: ListName
  readonly data?: string
  readonly json?: boolean
}

/** In the order in which a query's own list is looked for. */
const lists: readonly ListName[] = ['bookings', 'itineraries', 'invoices']

export function explainCommand(): Command {
  return new Command('explain')
    .description('Say in words of version 2 what a version 1 query asks for')
    .requiredOption('--v1 <query>', 'what stands behind query= in the address, encoded or not')
    .addOption(
      new Option('--dataset <name>', 'what is queried (default: the list that has the properties)').choices(
        lists,
      ),
    )
    .option('--data <folder>', 'data folder, whose settings limit the length of a query (default: ./data)')
    .option('--json', 'print JSON')
    .action(explain)
}

function explain({ v1, dataset, json, ...flags }: Options): void {
  const limits = queryLimits(loadConfig({ env: process.env, flags }))
  const clauses = parseClauses(v1.replace(/^\??query=/i, ''), limits)
  const list = dataset ?? bestFitting(clauses)
  const { filter, notes } = version2Filter(clauses, list)
  const text = printFilter(filter)
  if (json) {
    process.stdout.write(`${JSON.stringify({ dataset: list, filter: text, notes }, null, 2)}\n`)
    return
  }
  process.stdout.write(`${text}\n`)
  for (const note of notes) process.stderr.write(`note: ${note}\n`)
}

/** The list with the most of the properties, of several the first: where one is misspelled, the message is about that one. */
function bestFitting(clauses: readonly Clause[]): ListName {
  const fitting = (list: ListName) =>
    clauses.filter(({ property }) => fieldNamed(property, version1Datasets[list]) !== undefined).length
  return lists.reduce((best, list) => (fitting(list) > fitting(best) ? list : best))
}
