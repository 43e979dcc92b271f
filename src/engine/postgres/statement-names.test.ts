import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PERIOD_SECONDS, StatementNames } from './statement-names.ts'

describe('the names of statements', () => {
  it('are the same for the same text, and differ for others', () => {
    const names = new StatementNames()
    assert.equal(names.nameOf('select 1'), names.nameOf('select 1'))
    assert.notEqual(names.nameOf('select 1'), names.nameOf('select 2'))
  })

  it('are given to the first hundred texts of a period', () => {
    let now = 0
    const names = new StatementNames(() => now)
    for (let i = 0; i < 100; i++) assert.notEqual(names.nameOf(`select ${i}`), undefined)
    assert.equal(names.nameOf('select 100'), undefined)
    assert.notEqual(names.nameOf('select 99'), undefined)
    now = 1000 * PERIOD_SECONDS
    assert.notEqual(names.nameOf('select 100'), undefined)
  })
})
