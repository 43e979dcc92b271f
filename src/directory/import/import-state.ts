/** What the rows of one import share: the transaction, the organizations by their references, and what was found so far. */
import type { Transaction } from 'kysely'
import { DetailedProblem, Problem, type ProblemDetail } from '../../kernel/problem.ts'
import { fold } from '../../kernel/text.ts'
import type { ImportedRow } from '../../schema/directory-import-shapes.ts'
import type { FacetInstance } from '../../schema/directory-shapes.ts'
import type { ControlTables, OrganizationRow } from '../control-tables.ts'
import { possibleValues } from '../people/facet-values.ts'
import { shown } from '../people/problems.ts'
import { listIn } from './csv-text.ts'
import { type DirectoryRow, faultAt, isId } from './directory-file.ts'

export type ImportState = {
  readonly transaction: Transaction<ControlTables>
  readonly by: string
  readonly at: string
  readonly organizations: KnownOrganizations
  /** The line of each id, number or address that the file has had. */
  readonly lines: Map<string, number>
  readonly report: (fault: ProblemDetail) => void
  readonly note: (row: ImportedRow) => void
}

export type KnownOrganizations = {
  readonly byId: Map<string, OrganizationRow>
  readonly byNumber: Map<string, OrganizationRow>
  readonly bySiblingKey: Map<string, OrganizationRow>
}

export function knownOrganizations(rows: readonly OrganizationRow[]): KnownOrganizations {
  const known: KnownOrganizations = { byId: new Map(), byNumber: new Map(), bySiblingKey: new Map() }
  for (const row of rows) know(known, row)
  return known
}

export function know({ byId, byNumber, bySiblingKey }: KnownOrganizations, row: OrganizationRow): void {
  const before = byId.get(row.id)
  if (before !== undefined) {
    bySiblingKey.delete(before.name_key)
    if (before.number_key !== null) byNumber.delete(before.number_key)
  }
  byId.set(row.id, row)
  bySiblingKey.set(row.name_key, row)
  if (row.number_key !== null) byNumber.set(row.number_key, row)
}

/** @param text an id or a number @returns the id, or null after a fault */
export function referredId(
  { organizations, report }: ImportState,
  { line }: DirectoryRow,
  column: string,
  text: string,
): string | null {
  const byId = isId(text) ? organizations.byId.get(text.toLowerCase()) : undefined
  const found = byId ?? organizations.byNumber.get(fold(text))
  if (found !== undefined) return found.id
  const hint = 'a row that makes it must come before'
  report(faultAt(line, column, `there is no organization with the number or id ${shown(text)}; ${hint}`))
  return null
}

/** Refuses a second row for the same thing. */
export function isRepeated({ lines, report }: ImportState, row: DirectoryRow, key: string): boolean {
  const before = lines.get(key)
  if (before === undefined) {
    lines.set(key, row.line)
    return false
  }
  report(faultAt(row.line, null, `is about the same ${fold(row.resource)} as line ${before}`))
  return true
}

const columnOfMember: Readonly<Record<string, string>> = {
  parentOrganizationId: 'parent',
  organizationIds: 'organizations',
}

/** Turns a problem of a row into faults of the file. Anything else is thrown on. */
export function reportProblem({ report }: ImportState, line: number, column: string | null, cause: unknown) {
  if (cause instanceof DetailedProblem) {
    for (const { path, message } of cause.details) {
      const member = path.split('/')[1] ?? ''
      report(faultAt(line, columnOfMember[member] ?? (member || column), message))
    }
  } else if (cause instanceof Problem) {
    report(faultAt(line, column, cause.message))
  } else throw cause
}

export type FacetChange = {
  readonly definitionId: string
  readonly name: string
  readonly column: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Values that stay as they are are not checked: a definition may have been narrowed since they were set. */
export function facetChanges(
  state: ImportState,
  row: DirectoryRow,
  present: readonly FacetInstance[],
): readonly FacetChange[] {
  return row.facets.flatMap(({ title, definition, text }) => {
    const before = present.find((one) => one.facetDefinitionId === definition.id)?.values ?? []
    const wanted = listIn(text)
    const change = { definitionId: definition.id, name: definition.name, column: title, before }
    if (sameTexts(before, wanted)) return []
    try {
      const after = possibleValues(definition, wanted)
      return sameTexts(before, after) ? [] : [{ ...change, after }]
    } catch (cause) {
      reportProblem(state, row.line, title, cause)
      return []
    }
  })
}

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i])
