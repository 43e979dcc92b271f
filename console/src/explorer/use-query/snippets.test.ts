/** Each piece of code asks for what the query says, whatever its texts contain. The tools themselves run in test/browser. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { addressOf, snippet, snippetLanguages } from './snippets.ts'

const nasty = `customDataFields['Manager''s "Approval"'] eq 'a\\b#(lf) $HOME \`x\` €😀\u2028'`

const query = {
  service: 'https://travel.example.com',
  list: 'bookings' as const,
  parameters: { $filter: nasty, $select: 'recordLocator' },
}

describe('addressOf', () => {
  it('is read back as the same parameters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const { searchParams } = new URL(addressOf({ ...query, parameters: { $filter: text } }))
        assert.equal(searchParams.get('$filter'), text.toWellFormed())
      }),
    )
  })

  it('has no question mark without parameters', () => {
    assert.equal(addressOf({ ...query, parameters: {} }), 'https://travel.example.com/api/v2/bookings')
  })
})

describe('snippet', () => {
  for (const language of snippetLanguages) {
    it(`has no raw control characters: ${language}`, () => {
      const text = snippet(language, query)
      const raw = [...text].filter(
        (character) => character !== '\n' && (character < ' ' || /[\u2028\u2029]/.test(character)),
      )
      const allowed = language === 'curl' || language === 'powerQuery' ? ['\u2028'] : []
      assert.deepEqual(
        raw.filter((character) => !allowed.includes(character)),
        [],
      )
    })
  }

  it('doubles quotes and escapes in Power Query, where parameters go without $', () => {
    const text = snippet('powerQuery', query)
    assert.match(text, /filter = "customDataFields\['Manager''s ""Approval""'\] eq 'a\\b#\(#\)\(lf\)/)
    assert.doesNotMatch(text, /\$filter/)
  })

  it('leaves the query out of Power Query when there is none', () => {
    assert.doesNotMatch(snippet('powerQuery', { ...query, parameters: {} }), /Query = \[/)
  })

  it('names the columns of Power Query, with labels as columns that no field has', () => {
    const $select =
      "recordLocator,segments.origin,segments.vendor,customDataFields['recordLocator'],customDataFields['PO']"
    const text = snippet('powerQuery', { ...query, list: 'itineraries', parameters: { $select } })
    const [, records, labels] = text.match(/Records = (.+),\n {2}Labels = (.+)\nin\n {2}Labels\n$/) ?? []
    assert.equal(
      records,
      'Table.FromRecords(Answer[itineraries], {"recordLocator", "segments", "customDataFields"}, MissingField.UseNull)',
    )
    assert.equal(
      labels,
      'Table.ExpandRecordColumn(Records, "customDataFields", {"recordLocator", "PO"}, {"customDataFields.recordLocator", "PO"})',
    )
  })
})
