/**
 * Translates clauses of version 1 into the `$filter` of version 2 that selects the same records, with notes on what the reader
 * has to complete. Used by `tripfolio explain` only, not by requests.
 */
import { parseInstant, withoutOffset } from '../../kernel/calendar.ts'
import { type ListName, version1Datasets } from '../../schema/datasets.ts'
import type { Field } from '../../schema/field.ts'
import type { Expr, FieldPath, PathName } from '../ast.ts'
import type { Clause } from './clause.ts'
import { desugarClauses, fieldOf } from './desugar-clauses.ts'
import { nowhere } from './literal-for.ts'
import { nothingToTranslate } from './problems.ts'

export type Version2Filter = { readonly filter: Expr; readonly notes: readonly string[] }

/** @throws Problem QRY404 to QRY407 for clauses that version 1 refuses, QRY422 for none */
export function version2Filter(clauses: readonly Clause[], list: ListName): Version2Filter {
  const filter = desugarClauses(clauses, version1Datasets[list], (field) => version2Path(field, list))
  if (filter === null) throw nothingToTranslate()
  return { filter, notes: [...new Set(clauses.flatMap((clause) => notesOn(clause, list)))] }
}

/** The counterpart in version 2 of a property of version 1. */
type Counterpart =
  /** A field, perhaps with another name. */
  | { readonly kind: 'field'; readonly name: string }
  /** Records of version 2 show it under the label of the client, if there is one. */
  | { readonly kind: 'label' }

const label: Counterpart = { kind: 'label' }

const ofBookings: Readonly<Record<string, Counterpart>> = {
  modifiedDateTime: { kind: 'field', name: 'modifiedAt' },
  traveller: label,
  department: label,
  employeeId: label,
  costCentre: label,
  purchaseOrder: label,
  bookedBy: label,
  authorisedBy: label,
  customData1: label,
  customData2: label,
}

/** Properties that are not listed have a field of the same name in version 2, perhaps one that its records do not show. */
const counterparts: { readonly [List in ListName]: Readonly<Record<string, Counterpart>> } = {
  bookings: ofBookings,
  itineraries: ofBookings,
  invoices: {},
}

const counterpartOf = ({ name }: Field, list: ListName): Counterpart =>
  counterparts[list][name] ?? { kind: 'field', name }

function version2Path(field: Field, list: ListName): FieldPath {
  const counterpart = counterpartOf(field, list)
  switch (counterpart.kind) {
    case 'field':
      return path({ name: counterpart.name, quoted: false, span: nowhere })
    case 'label':
      return path(
        { name: 'customDataFields', quoted: false, span: nowhere },
        { name: field.name, quoted: true, span: nowhere },
      )
  }
}

const path = (...names: readonly PathName[]): FieldPath => ({ names, span: nowhere })

function notesOn(clause: Clause, list: ListName): readonly string[] {
  const field = fieldOf(clause, version1Datasets[list])
  if (counterpartOf(field, list).kind !== 'label') return []
  return [labelNote(field), ...dateLikeTexts(clause).map(dateNote)]
}

const labelNote = ({ name }: Field): string =>
  `customDataFields['${name}']: put the label that this client has for ${name} in place of '${name}'`

const dateNote = (text: string): string =>
  `'${text}' reads as a date: $filter also matches other spellings of that moment`

/** Texts that version 2 compares as dates with the values of a label; version 1 compares them as texts. */
function dateLikeTexts(clause: Clause): readonly string[] {
  if (clause.operator === 'CT') return []
  const values = 'items' in clause ? clause.items : [clause.value]
  return values.filter((value) => parseInstant(value) !== undefined && withoutOffset(value) === undefined)
}
