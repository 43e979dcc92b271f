import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Version1Dataset, version1Datasets } from '../../schema/datasets.ts'
import type { Clause } from './clause.ts'
import { desugarClauses, fieldNamed } from './desugar-clauses.ts'

const text = (name: string) => ({ name, type: 'text', nullable: true, maxLength: undefined }) as const

/** Two properties that differ only in letter case, which no real record type has. */
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
    it(`have ${name ?? 'nothing'} for '${written}', an exact match before another letter case`, () => {
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
    literal: { kind: 'text', value: 'x', span },
    span,
  }

  it('returns no filter for no clauses', () => assert.equal(desugarClauses([], dataset), null))

  it('returns the condition of a single clause without and', () => {
    assert.deepEqual(desugarClauses([clause], dataset), condition)
  })

  it('joins several clauses by one and', () => {
    assert.deepEqual(desugarClauses([clause, clause, clause], dataset), {
      kind: 'and',
      operands: [condition, condition, condition],
      span,
    })
  })
})
