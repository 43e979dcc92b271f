/**
 * The columns of a directory file. Each row is an organization or a person; a column that the file does not have leaves what it
 * names as it is, and an empty cell empties it. Facets have a column each, `facet <name>`.
 */
import type { ProblemDetail } from '../../kernel/problem.ts'
import { fold } from '../../kernel/text.ts'
import type { FacetDefinition } from '../../schema/directory-shapes.ts'
import { shown } from '../people/problems.ts'
import type { CsvRecord } from './csv-text.ts'

export type Resource = 'Organization' | 'Person'

/** In the order in which an export writes them. */
const columns = {
  resource: 'both',
  id: 'both',
  number: 'Organization',
  name: 'Organization',
  description: 'Organization',
  parent: 'Organization',
  firstName: 'Person',
  lastName: 'Person',
  middleName: 'Person',
  prefix: 'Person',
  suffix: 'Person',
  emailAddress: 'Person',
  userPrincipalName: 'Person',
  organizations: 'Person',
  isActive: 'both',
} as const satisfies Readonly<Record<string, Resource | 'both'>>

export type ColumnName = keyof typeof columns
export const columnNames = Object.keys(columns) as readonly ColumnName[]
const FACET = 'facet '

export const facetColumn = (name: string): string => `${FACET}${name}`

type Column = { readonly title: string } & (
  | { readonly kind: 'member'; readonly member: ColumnName }
  | { readonly kind: 'facet'; readonly facet: Readonly<Partial<Record<Resource, FacetDefinition>>> }
)

type FacetCell = {
  readonly title: string
  readonly definition: FacetDefinition
  readonly text: string
}

export type DirectoryRow = {
  readonly line: number
  readonly resource: Resource
  /** In lower case; null for a row without one. */
  readonly id: string | null
  /** The text of each column that the file has, trimmed. */
  readonly members: Readonly<Partial<Record<ColumnName, string>>>
  readonly facets: readonly FacetCell[]
}

/** One fault of the file. */
export const faultAt = (line: number, column: string | null, message: string): ProblemDetail => ({
  path: column === null ? `line ${line}` : `line ${line}, column ${column}`,
  message,
})

/** @param definitions active ones @returns the columns, or the faults of the header */
export function columnsIn(
  { line, cells }: CsvRecord,
  definitions: readonly FacetDefinition[],
): { readonly columns: readonly Column[]; readonly faults: readonly ProblemDetail[] } {
  const faults: ProblemDetail[] = []
  const separator = cells.length === 1 ? /[;\t]/.exec(cells[0] ?? '')?.[0] : undefined
  if (separator !== undefined) {
    const name = separator === ';' ? 'semicolons' : 'tabs'
    return {
      columns: [],
      faults: [faultAt(line, null, `expected commas between the columns, found ${name}`)],
    }
  }
  const found = cells.map((cell): Column | null => {
    const title = cell.trim()
    const member = columnNames.find((name) => fold(name) === fold(title))
    if (member !== undefined) return { title, kind: 'member', member }
    const facet = fold(title).startsWith(FACET) ? facetNamed(title.slice(FACET.length), definitions) : null
    if (facet !== null) return { title, kind: 'facet', facet }
    const expected = `expected one of ${columnNames.join(', ')}, or '${FACET}' and the name of an active facet`
    faults.push(faultAt(line, title.slice(0, 80) || '(without a name)', `is unknown: ${expected}`))
    return null
  })
  const known = found.filter((column) => column !== null)
  const keys = known.map(({ title }) => fold(title))
  for (const { title } of known.filter((_, i) => keys.indexOf(keys[i] as string) < i))
    faults.push(faultAt(line, title, 'is there twice'))
  if (!known.some((column) => column.kind === 'member' && column.member === 'resource'))
    faults.push(faultAt(line, 'resource', 'is missing: it says organization or person in each row'))
  return { columns: known, faults }
}

function facetNamed(name: string, definitions: readonly FacetDefinition[]) {
  const named = definitions.filter((definition) => fold(definition.name) === fold(name.trim()))
  return named.length === 0
    ? null
    : Object.fromEntries(named.map((definition) => [definition.resourceType, definition]))
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isId = (text: string): boolean => UUID.test(text.toLowerCase())

/** @returns null when the row has faults, which `report` gets */
export function rowOf(
  { line, cells }: CsvRecord,
  all: readonly Column[],
  report: (fault: ProblemDetail) => void,
): DirectoryRow | null {
  if (cells.length !== all.length) {
    report(faultAt(line, null, `has ${cells.length} values for ${all.length} columns`))
    return null
  }
  const faults: ProblemDetail[] = []
  const refuse = (column: string, message: string) => void faults.push(faultAt(line, column, message))
  const texts = cells.map((cell) => cell.trim())
  const members: Partial<Record<ColumnName, string>> = {}
  for (const [i, column] of all.entries()) {
    if (column.kind === 'member') members[column.member] = texts[i] as string
  }
  const word = fold(members.resource ?? '')
  const resource: Resource | null =
    word === 'organization' ? 'Organization' : word === 'person' ? 'Person' : null
  if (resource === null)
    refuse('resource', `expected organization or person, found ${shown(members.resource ?? '')}`)
  const { id = '', isActive } = members
  if (id !== '' && !isId(id)) refuse('id', 'is no id: leave it empty for something new')
  if (isActive !== undefined && !/^(true|false|)$/i.test(isActive))
    refuse('isActive', `expected true or false, found ${shown(isActive)}`)
  const facets: FacetCell[] = []
  for (const [i, column] of all.entries()) {
    const text = texts[i] as string
    if (resource === null) continue
    const isForeign =
      column.kind === 'facet'
        ? column.facet[resource] === undefined
        : columns[column.member] !== 'both' && columns[column.member] !== resource
    if (isForeign && text !== '') refuse(column.title, `must be empty in a row of a ${fold(resource)}`)
    const definition = column.kind === 'facet' ? column.facet[resource] : undefined
    if (definition !== undefined) facets.push({ title: column.title, definition, text })
  }
  for (const fault of faults) report(fault)
  if (resource === null || faults.length > 0) return null
  return { line, resource, id: id === '' ? null : id.toLowerCase(), members, facets }
}

/** What the row says of a flag: undefined to leave it. */
export const flagOf = (text: string | undefined): boolean | undefined =>
  text === undefined ? undefined : fold(text) !== 'false'
