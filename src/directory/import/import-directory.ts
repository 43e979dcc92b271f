/**
 * Imports organizations and persons from a directory file, in one transaction: all rows or none. Each row finds what the rows
 * before it have left. Keeps the text of the file in memory, but not its rows. A dry run does the same and takes it back, so that
 * what it says is what an import would do.
 */
import { setImmediate } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import type { ProblemDetail } from '../../kernel/problem.ts'
import {
  type DirectoryImport,
  type ImportedRow,
  MOST_LISTED_ROWS,
} from '../../schema/directory-import-shapes.ts'
import type { ControlTables } from '../control-tables.ts'
import { listDefinitions } from '../people/facet-definitions.ts'
import { CsvFault, readCsv } from './csv-text.ts'
import { columnsIn, type DirectoryRow, faultAt, rowOf } from './directory-file.ts'
import { importOrganization } from './import-organization.ts'
import { importPersons } from './import-persons.ts'
import { type ImportState, knownOrganizations } from './import-state.ts'
import { badDirectoryFile, MOST_FAULTS } from './problems.ts'

export type FileText = Iterable<string> | AsyncIterable<string>

export type ImportOptions = { readonly by: string; readonly dryRun: boolean }

const BATCH_ROWS = 500

/** The store answers within the thread, so that without a pause nobody else would be answered until the last row. */
const ROWS_PER_TURN = 100

/** Takes a dry run back. */
class DryRunEnds extends Error {}

/** @throws DetailedProblem DIR317 with the faults of the file */
export async function importDirectory(
  db: Kysely<ControlTables>,
  file: FileText,
  { by, dryRun }: ImportOptions,
): Promise<DirectoryImport> {
  const told = tally(dryRun)
  // Before the transaction: a file that comes slowly must not shut other writers out.
  const text: string[] = []
  for await (const chunk of file) text.push(chunk)
  try {
    await db.transaction().execute(async (transaction) => {
      await importRows(transaction, text, by, told.note)
      if (dryRun) throw new DryRunEnds()
    })
  } catch (cause) {
    if (!(cause instanceof DryRunEnds)) throw cause
  }
  return told.result()
}

async function importRows(
  transaction: Transaction<ControlTables>,
  file: readonly string[],
  by: string,
  note: (row: ImportedRow) => void,
): Promise<void> {
  const faults: ProblemDetail[] = []
  const definitions = await listDefinitions(transaction, undefined)
  const deleted = await transaction.selectFrom('deleted_organizations').select('id').execute()
  const deletedIds = new Set(deleted.map(({ id }) => id))
  const state: ImportState = {
    transaction,
    by,
    at: new Date().toISOString(),
    organizations: knownOrganizations(await transaction.selectFrom('organizations').selectAll().execute()),
    lines: new Map(),
    report: (fault) => void faults.push(fault),
    note,
  }
  let columns: ReturnType<typeof columnsIn>['columns'] | null = null
  let persons: DirectoryRow[] = []
  let read = 0
  const flush = async () => {
    if (persons.length > 0) await importPersons(state, persons)
    persons = []
  }
  try {
    for await (const record of readCsv(file)) {
      if (columns === null) {
        const header = columnsIn(
          record,
          definitions.filter(({ isActive }) => isActive),
        )
        faults.push(...header.faults)
        if (faults.length > 0) break
        columns = header.columns
        continue
      }
      if (faults.length >= MOST_FAULTS) break
      if (++read % ROWS_PER_TURN === 0) await setImmediate()
      const row = rowOf(record, columns, state.report)
      if (row === null) continue
      if (!fitsBatch(persons, row)) await flush()
      if (row.resource === 'Organization') await importOrganization(state, row, deletedIds)
      else persons.push(row)
    }
    if (columns === null && faults.length === 0)
      state.report(faultAt(1, null, 'is missing: there is no header'))
    if (faults.length < MOST_FAULTS) await flush()
  } catch (cause) {
    if (!(cause instanceof CsvFault)) throw cause
    state.report(faultAt(cause.line, null, cause.reason))
  }
  if (faults.length > 0) throw badDirectoryFile(faults.slice(0, MOST_FAULTS))
}

/**
 * The persons of a batch are looked up together, before any of them is written. So an organization does not go past them, and a
 * person that is found by its address does not share a batch with rows that name an id, which may give that address away or take it.
 */
function fitsBatch(batch: readonly DirectoryRow[], row: DirectoryRow): boolean {
  const [first] = batch
  if (first === undefined) return true
  const hasSameKey = (first.id === null) === (row.id === null)
  return row.resource === 'Person' && hasSameKey && batch.length < BATCH_ROWS
}

function tally(dryRun: boolean) {
  const none = { created: 0, changed: 0, unchanged: 0 }
  const counts = { Organization: { ...none }, Person: { ...none } }
  const rows: ImportedRow[] = []
  let total = 0
  return {
    note: (row: ImportedRow) => {
      counts[row.resource][row.outcome]++
      total++
      if (rows.length < MOST_LISTED_ROWS) rows.push(row)
    },
    result: (): DirectoryImport => ({
      dryRun,
      organizations: counts.Organization,
      persons: counts.Person,
      rows,
      total,
    }),
  }
}
