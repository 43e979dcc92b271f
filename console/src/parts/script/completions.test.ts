import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { library } from '../../../../src/script/stdlib/library.ts'
import { type Offered, offersAt } from './completions.ts'
import { scanScript } from './scan-script.ts'
import { functionsOf } from './signatures.ts'

const offered: Offered = {
  functions: functionsOf({ library, hostFunctions: [], responseMembers: [] }),
  dataMembers: [
    ['request.method', 'in capitals'],
    ['request.user', 'who calls'],
    ['_payload', 'the body'],
  ],
  moduleNames: ['fees'],
}

/** The labels at the mark `|`, and where the word begins. */
function at(marked: string) {
  const offset = marked.indexOf('|')
  const found = offersAt(scanScript(marked.replace('|', '')), offset, offered)
  return found === null ? null : { from: found.from, labels: found.offers.map(({ label }) => label) }
}

describe('what can be written', () => {
  it('is, anywhere in a script, its own names, functions and keywords', () => {
    const found = at('var total = 1\nfunc area(r)\nend\nx = to|')
    assert.equal(found?.from, 35)
    for (const label of ['total', 'area', 'r', 'Data', 'Substring', 'foreach']) {
      assert.ok(found?.labels.includes(label), label)
    }
  })

  it('is, after Data, its members: those of the host and those that the script mentions', () => {
    assert.deepEqual(at('Data.rows = 1\nx = Data.|')?.labels, ['request', '_payload', 'rows'])
    assert.deepEqual(at('x = Data.request.m|')?.labels, ['method', 'user'])
  })

  it('is, after another value, the functions that take it', () => {
    const labels = at('x = name.|')?.labels ?? []
    assert.ok(labels.includes('Substring'))
    assert.ok(!labels.includes('Now'))
    assert.ok(!labels.includes('foreach'))
  })

  it('is, in an import, the name of a module', () => {
    assert.deepEqual(at('import "f|"'), { from: 8, labels: ['fees'] })
  })

  it('is nothing in comments, texts and numbers', () => {
    for (const marked of ['# no|', 'x = "no|"', 'x = "no|', 'x = 12|']) assert.equal(at(marked), null, marked)
    assert.notEqual(at('x = "yes" |'), null)
  })
})
