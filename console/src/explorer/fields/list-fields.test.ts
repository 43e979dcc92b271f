import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { datasets, namedFields, searchedCollections } from '../../../../src/schema/datasets.ts'
import type { Field } from '../../../../src/schema/field.ts'
import { listFields, listNames } from './list-fields.ts'

const kindsOf = (fields: readonly Field[]) => fields.map(({ name, type }) => ({ name, kind: type }))

describe('listFields', () => {
  for (const list of listNames) {
    it(`has the fields and collections that queries can name in ${list}`, () => {
      const { fields, collections } = listFields[list]
      assert.deepEqual(fields, kindsOf(namedFields(datasets[list])))
      assert.deepEqual(
        collections,
        searchedCollections(datasets[list]).map((nested) => ({
          name: nested.name,
          fields: kindsOf(namedFields(nested)),
        })),
      )
    })
  }
})
