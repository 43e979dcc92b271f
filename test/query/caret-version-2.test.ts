/** The name of each property of version 1 in version 2, and the notes of a translation. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../../src/kernel/problem.ts'
import { parseClauses } from '../../src/query/caret/parse-clauses.ts'
import { version2Filter } from '../../src/query/caret/version-2-filter.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { printFilter } from '../../src/query/odata/print-filter.ts'
import { type ListName, version1Datasets } from '../../src/schema/datasets.ts'

function translate(list: ListName, query: string) {
  const { filter, notes } = version2Filter(parseClauses(query, defaultQueryLimits), list)
  return { filter: printFilter(filter), notes }
}

function problemOf(list: ListName, query: string): Problem {
  try {
    translate(list, query)
  } catch (problem) {
    assert.ok(problem instanceof Problem, String(problem))
    return problem
  }
  assert.fail('nothing was refused')
}

const asItIs = (name: string): readonly [property: string, name: string] => [name, name]
const labelled = (name: string) => `customDataFields['${name}']`
const labelNote = (name: string) =>
  `customDataFields['${name}']: put the label that this client has for ${name} in place of '${name}'`

describe('properties of version 1 in $filter', () => {
  const ofBookings: readonly (readonly [property: string, name: string])[] = [
    ...['recordLocator', 'originatingAgency', 'clientNumber', 'bookingDate'].map(asItIs),
    ['modifiedDateTime', 'modifiedAt'],
    ...['isTicketed', 'isInternational', 'tripStartLocal', 'tripEndLocal'].map(asItIs),
    ...[
      ...['traveller', 'department', 'employeeId', 'costCentre', 'purchaseOrder', 'bookedBy'],
      ...['authorisedBy', 'customData1', 'customData2'],
    ].map((name): [string, string] => [name, labelled(name)]),
  ]
  const named: { readonly [List in ListName]: readonly (readonly [property: string, name: string])[] } = {
    bookings: ofBookings,
    itineraries: [
      ...ofBookings,
      ...['segmentCount', 'tripStartUtc', 'tripEndUtc', 'totalAirDistance', 'totalAirDuration'].map(asItIs),
      asItIs('totalAirDurationSeconds'),
    ],
    invoices: [
      ...['invoiceNumber', 'clientNumber', 'invoiceDate', 'recordLocator', 'clientName', 'department'],
      ...['netAmount', 'gstAmount', 'totalAmount', 'balanceAmount'],
    ].map(asItIs),
  }
  for (const list of ['bookings', 'itineraries', 'invoices'] as const) {
    for (const [property, name] of named[list]) {
      it(`${property} of ${list} is ${name}`, () => {
        const { filter, notes } = translate(list, `${property.toUpperCase()}^EQnull`)
        assert.equal(filter, `${name} eq null`)
        assert.deepEqual(notes, name.startsWith('customDataFields') ? [labelNote(property)] : [])
      })
    }

    it(`every property of ${list} is in the table`, () => {
      const listed = named[list].map(([property]) => property)
      const fields = version1Datasets[list].fields.map(({ name }) => name)
      assert.deepEqual(listed.toSorted(), fields.toSorted())
    })
  }
})

describe('a translation into $filter', () => {
  it('keeps the meaning of clauses', () => {
    const query = 'isticketed^EQ1;ModifiedDateTime^EQ2026-01-31;BookingDate^NI2026-01-01,null;Traveller^CTann'
    assert.deepEqual(translate('bookings', query), {
      filter:
        "isTicketed eq true and (modifiedAt ge '2026-01-31' and modifiedAt le '2026-01-31T23:59') and bookingDate nin ('2026-01-01', null) and contains(customDataFields['traveller'], 'ann')",
      notes: [labelNote('traveller')],
    })
  })

  it('has one note for each label and each text', () => {
    const query = 'Traveller^NE2026-01-31;Department^IN2026-01-31T10:00Z,x,2026-01-31;Traveller^NEAnna'
    assert.deepEqual(translate('itineraries', query).notes, [
      labelNote('traveller'),
      "'2026-01-31' reads as a date: $filter also matches other spellings of that moment",
      labelNote('department'),
      "'2026-01-31T10:00Z' reads as a date: $filter also matches other spellings of that moment",
    ])
  })

  const silent: readonly (readonly [list: ListName, query: string])[] = [
    // dates compared with date fields, and parts of texts
    ['invoices', 'InvoiceDate^GE2026-01-31'],
    ['invoices', 'InvoiceNumber^CT2026-01-31'],
    // texts compared with text fields, which both versions compare as texts
    ['invoices', 'InvoiceNumber^EQ2026-01-31'],
    ['invoices', 'InvoiceNumber^EQ2026-01-32'],
    ['invoices', 'InvoiceNumber^INnull,5'],
  ]
  for (const [list, query] of silent) {
    it(`has no notes for ${query}`, () => assert.deepEqual(translate(list, query).notes, []))
  }

  it('refuses what version 1 refuses', () => {
    assert.equal(problemOf('bookings', 'Nobody^EQ1').code, 'QRY405')
    assert.equal(problemOf('bookings', 'IsTicketed^CTx').code, 'QRY406')
    assert.equal(problemOf('bookings', 'IsTicketed^EQx').code, 'QRY407')
    assert.equal(problemOf('invoices', 'InvoiceDate^EQx').code, 'QRY404')
  })

  it('refuses a query without clauses', () => {
    assert.equal(problemOf('bookings', ' ; ').code, 'QRY422')
  })
})
