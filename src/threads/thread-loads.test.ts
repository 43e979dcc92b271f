import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ThreadLoads } from './thread-loads.ts'

describe('the loads of threads', () => {
  it('count runs that wait less than runs that work, and ended ones not at all', () => {
    const loads = new ThreadLoads<string>()
    const [first, second] = [loads.begin('a'), loads.begin('a')]
    loads.begin('b')
    assert.deepEqual([loads.of('a'), loads.of('b'), loads.of('c')], [2, 1, 0])
    first.leave()
    first.leave()
    second.leave()
    assert.ok(loads.of('a') > 0 && loads.of('a') < loads.of('b'))
    first.return()
    assert.ok(loads.of('a') > loads.of('b'))
    first.end()
    second.end()
    assert.deepEqual([loads.of('a'), [...loads.busy]], [0, ['b']])
  })
})
