import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem, QueryProblem } from './problem.ts'

describe('Problem', () => {
  it('carries its code, message, hint and cause', () => {
    const cause = new Error('disk full')
    const problem = new Problem('SNP301', 'The snapshot cannot be written', {
      hint: 'Free some space',
      cause,
    })
    assert.ok(problem instanceof Error)
    assert.equal(problem.name, 'Problem')
    assert.equal(problem.code, 'SNP301')
    assert.equal(problem.message, 'The snapshot cannot be written')
    assert.equal(problem.hint, 'Free some space')
    assert.equal(problem.cause, cause)
  })

  it('has neither hint nor cause unless given', () => {
    const problem = new Problem('CFG101', 'Unknown setting')
    assert.equal(problem.hint, undefined)
    assert.ok(!('cause' in problem))
  })
})

describe('QueryProblem', () => {
  it('is a Problem that points into the parameter', () => {
    const input = 'bookingDat eq 1'
    const problem = new QueryProblem('QRY201', { parameter: '$filter', column: 0, input }, 'Unknown field')
    assert.ok(problem instanceof Problem)
    assert.equal(problem.name, 'QueryProblem')
    assert.deepEqual(
      [problem.code, problem.message, problem.parameter, problem.column, problem.input],
      ['QRY201', 'Unknown field', '$filter', 0, input],
    )
  })

  it('has neither column nor input unless given', () => {
    const problem = new QueryProblem('QRY101', { parameter: '$top' }, 'Use $pageSize')
    assert.deepEqual([problem.column, problem.input, problem.hint], [undefined, undefined, undefined])
  })
})
