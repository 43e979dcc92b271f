import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Version1Dataset, version1Datasets } from '../../schema/datasets.ts'
import type { Clause } from './clause.ts'
import { desugarClauses, fieldNamed } from './desugar-clauses.ts'

const text = (name: string) => ({ name, type: 'text', nullable: true, maxLength: undefined }) as const

/** Two properties that only letter case tells apart, which none of our record types has. */
const dataset: Version1Dataset = {
  ...version1Datasets.bookings,
  fields: [text('straße'), text('Straße'), text('other')],
}

describe('the properties of a record type', () => {
  const rows: readonly (readonly [written: string, name: string | undefined])[] = [
    ['straße', 'straße'],
    ['Straße', 'Straße'],
    ['STRAßE', 'straße'],
    ['OTHER', 'other'],
    ['strasse', undefined],
    ['other.name', undefined],
    ['', undefined],
  ]
  for (const [written, name] of rows) {
    it(`have ${name ?? 'nothing'} for '${written}', letter by letter before letter case is set aside`, () => {
      assert.equal(fieldNamed(written, dataset)?.name, name)
    })
  }
})

describe('desugarClauses', () => {
  const clause: Clause = { property: 'OTHER', operator: 'EQ', value: 'x' }
  const span = { start: 0, end: 0 }
  const condition = {
    kind: 'compare',
    operator: 'eq',
    field: { names: [{ name: 'other', quoted: false, span }], span },
    literal: { kind: 'text', value: 'x', verbatim: true, span },
    span,
  }

  it('makes no filter of no clauses', () => assert.equal(desugarClauses([], dataset), null))

  it('lets a single clause stand alone', () => {
    assert.deepEqual(desugarClauses([clause], dataset), condition)
  })

  it('makes one and of several, however many', () => {
    assert.deepEqual(desugarClauses([clause, clause, clause], dataset), {
      kind: 'and',
      operands: [condition, condition, condition],
      span,
    })
  })
})
