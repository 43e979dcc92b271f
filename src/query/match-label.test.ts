import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { matchLabel, similarLabels } from './match-label.ts'

const labels = [
  "Manager's Approval",
  'Cost Centre',
  'cost centre',
  'PO\u2013Number',
  'Project "Föhn"',
  'Ref',
  'Ref’',
  "Ref'",
  'Trip Purpose',
]

describe('a label', () => {
  const rows: readonly (readonly [written: string, matches: readonly string[], why: string])[] = [
    ["Manager's Approval", ["Manager's Approval"], 'exactly'],
    ['MANAGER’S approval', ["Manager's Approval"], 'with a typographic apostrophe, in any letter case'],
    ['Manager\u02bcs\u00a0Approval', ["Manager's Approval"], 'with other apostrophes and blanks'],
    ['PO-number', ['PO\u2013Number'], 'with the dash of a keyboard'],
    ['PO\u2014Number', ['PO\u2013Number'], 'with another dash'],
    ['project “fo\u0308hn”', ['Project "Föhn"'], 'with typographic quotes and a letter in two parts'],
    ['cost centre', ['cost centre'], 'exactly, although another label differs only in case'],
    ['COST CENTRE', ['Cost Centre', 'cost centre'], 'ambiguously'],
    ["Ref'", ["Ref'"], 'exactly, although another label has a typographic quote'],
    ['REF’', ['Ref’'], 'in another letter case before other quotes are tried'],
    ['ref`', ['Ref’', "Ref'"], 'ambiguously with other quotes'],
    ['Cost', [], 'whole labels only'],
    ['', [], 'not by nothing'],
  ]
  for (const [written, matches, why] of rows) {
    it(`is matched by '${written}' ${why}`, () => assert.deepEqual(matchLabel(written, labels), matches))
  }
})

describe('the labels that are like', () => {
  const rows: readonly (readonly [written: string, similar: readonly string[]])[] = [
    ['Manager’s Aproval', ["Manager's Approval"]],
    ['Managers Approval', ["Manager's Approval"]],
    ['Cost Center', ['Cost Centre', 'cost centre']],
    ['Trip  Purpos', ['Trip Purpose']],
    ['approval', ["Manager's Approval"]],
    ['Re', ['Ref']],
    ['or', []],
    ['Department', []],
    ['', []],
  ]
  for (const [written, similar] of rows) {
    it(`'${written}' are ${similar.join(', ') || 'none'}`, () =>
      assert.deepEqual(similarLabels(written, labels), similar))
  }

  it('are three at most', () => {
    const many = ['Code 1', 'Code 2', 'Code 3', 'Code 4']
    assert.deepEqual(similarLabels('Code 9', many), ['Code 1', 'Code 2', 'Code 3'])
  })
})
