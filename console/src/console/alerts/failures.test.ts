import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  afterFailure,
  afterSeen,
  afterTime,
  type Failure,
  failureReader,
  noFailures,
  unseenCount,
} from './failures.ts'

const failureOf = (endpointId: string, executionId: string): Failure => ({
  ...{ endpointId, executionId },
  endpointName: endpointId,
})
const shownOf = (failures: typeof noFailures) =>
  [...failures].flatMap(([id, { isShown, count }]) => (isShown ? [[id, count]] : []))

describe('alerts of failures', () => {
  it('are one per endpoint, which counts and leads to the newest run', () => {
    let failures = afterFailure(noFailures, failureOf('a', '1'), 0)
    failures = afterFailure(failures, failureOf('b', '2'), 10)
    failures = afterFailure(failures, failureOf('a', '3'), 500_000)
    assert.deepEqual(shownOf(failures), [
      ['a', 2],
      ['b', 1],
    ])
    assert.equal(failures.get('a')?.executionId, '3')
    assert.equal(unseenCount(failures), 3)
  })

  it('come again a minute after the one before, with what failed meanwhile', () => {
    let failures = afterFailure(noFailures, failureOf('a', '1'), 0)
    failures = afterSeen(failures, 'a')
    assert.equal(unseenCount(failures), 0)
    failures = afterFailure(failures, failureOf('a', '2'), 20_000)
    failures = afterFailure(failures, failureOf('a', '3'), 59_999)
    assert.deepEqual(shownOf(failures), [])
    assert.equal(unseenCount(failures), 2)
    assert.equal(afterTime(failures, 59_999), failures)
    failures = afterTime(failures, 60_000)
    assert.deepEqual(shownOf(failures), [['a', 2]])
    assert.equal(afterTime(failures, 600_000), failures)
  })

  it('come at once when the last one is longer ago', () => {
    const seen = afterSeen(afterFailure(noFailures, failureOf('a', '1'), 0), 'a')
    assert.deepEqual(shownOf(afterTime(seen, 90_000)), [])
    assert.deepEqual(shownOf(afterFailure(seen, failureOf('a', '2'), 90_000)), [['a', 1]])
  })
})

describe('the events of live runs', () => {
  const run = (id: string, type = 'DynamicEndpoint') => ({
    ...{ id, type },
    endpointId: 'e',
    endpointName: 'Spend',
  })
  const ended = (id: string, status: string) => JSON.stringify({ id, status })

  it('show failures of runs that were listed or queued', () => {
    const read = failureReader()
    assert.equal(read('list', JSON.stringify({ node: 'n', runs: [run('1')] })), undefined)
    assert.equal(read('queued', JSON.stringify(run('2'))), undefined)
    assert.deepEqual(read('ended', ended('1', 'Failed')), {
      endpointId: 'e',
      endpointName: 'Spend',
      executionId: '1',
    })
    assert.equal(read('ended', ended('2', 'Failed'))?.executionId, '2')
    assert.equal(read('ended', ended('2', 'Failed')), undefined)
  })

  it('show neither other ends nor trials', () => {
    const read = failureReader()
    for (const status of ['Success', 'Cancelled', 'Refused', 'Rejected']) {
      read('queued', JSON.stringify(run(status)))
      assert.equal(read('ended', ended(status, status)), undefined, status)
    }
    read('queued', JSON.stringify(run('3', 'Test')))
    assert.equal(read('ended', ended('3', 'Failed')), undefined)
    assert.equal(read('log', 'no JSON, and not read'), undefined)
  })
})
