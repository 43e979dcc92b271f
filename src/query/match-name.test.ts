import assert from 'node:assert/strict'
import { it } from 'node:test'
import { matchName } from './match-name.ts'

const known = ['Cost', 'cost', 'Größe', 'Dept']

const rows: readonly (readonly [written: string, matches: readonly string[], why: string])[] = [
  ['Cost', ['Cost'], 'exactly, although another name differs only in case'],
  ['cost', ['cost'], 'exactly, although another name differs only in case'],
  ['COST', ['Cost', 'cost'], 'ambiguously'],
  ['dEPT', ['Dept'], 'in another letter case'],
  ['GRÖSSE', [], 'without changing letters'],
  ['GRÖßE', ['Größe'], 'beyond ASCII'],
  ['Cos', [], 'whole names only'],
]
for (const [written, matches, why] of rows) {
  it(`matches '${written}' ${why}`, () => assert.deepEqual(matchName(written, known), matches))
}
