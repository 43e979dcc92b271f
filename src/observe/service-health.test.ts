import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { logLine } from './log-lines.ts'
import type { Observation } from './observation.ts'
import { reportWriting, watchHealth } from './service-health.ts'

function watch() {
  const seen: Observation[] = []
  return { seen, ...watchHealth((observation) => seen.push(observation)) }
}

const refused = (reason: string): Observation => ({
  kind: 'refresh-refused',
  source: '/extract',
  code: 'SRV301',
  reason,
})

const skipped = (snapshot: string): Observation => ({
  kind: 'snapshot-skipped',
  snapshot,
  reason: `${snapshot} has another format`,
})

const announced = (snapshot: string): Observation => ({
  kind: 'snapshot-announced',
  snapshot,
  clients: 1,
  bytes: 1,
  extractedAt: new Date(0),
})

describe('the health of a service', () => {
  it('is reported once when writing fails and once when it works again, however many threads report it', () => {
    const { seen, observe, readiness } = watch()
    const threads = [1, 2, 3].map(() => reportWriting(observe, 'control'))
    for (const report of threads) report('the disk is full')
    assert.deepEqual(
      readiness().notWritten.map(({ store }) => store),
      ['control'],
    )
    for (const report of threads) report(null)
    assert.deepEqual(readiness(), { notWritten: [], skipped: null })
    threads[0]?.('the disk is full')
    assert.deepEqual(
      seen.map(({ kind }) => kind),
      ['writing-failed', 'writing-resumed', 'writing-failed'],
    )
  })

  it('knows which stores are away until they are back', () => {
    const { observe, readiness } = watch()
    const report = reportWriting(observe, 'control')
    report('the database cannot be reached', true)
    assert.deepEqual(readiness().away, ['control'])
    report(null)
    assert.equal(readiness().away, undefined)
  })

  it('names no path, because it is shown without a key', () => {
    const { observe, readiness } = watch()
    reportWriting(observe, 'history')('/data/history.db cannot be written')
    assert.doesNotMatch(JSON.stringify(readiness()), /\/data/)
  })

  for (const [reason, isWriteFault] of [
    ["Cannot write '/data/snapshots': no space is left on the file system (ENOSPC)", true],
    ["Cannot write '/data/snapshots': the file system is read-only (EROFS)", true],
    ["Table 'segments' is missing", false],
    ['Table (ENO) is missing', false],
  ] as const) {
    it(`recognises by a refused refresh whether snapshots can be written: ${reason}`, () => {
      const { seen, observe, readiness } = watch()
      observe(refused(reason))
      assert.equal(readiness().notWritten.length, isWriteFault ? 1 : 0)
      assert.ok(seen.some(({ kind }) => kind === 'refresh-refused'))
      observe({ kind: 'refresh-published', snapshot: 's', rejects: 0, milliseconds: 1 })
      assert.equal(readiness().notWritten.length, 0)
    })
  }

  it('reports that the history is not pruned only while it can be written', () => {
    const { seen, observe } = watch()
    const notPruned: Observation = { kind: 'history-not-pruned', reason: 'r' }
    observe(notPruned)
    reportWriting(observe, 'history')('the disk is full')
    observe(notPruned)
    assert.deepEqual(
      seen.map(({ kind }) => kind),
      ['history-not-pruned', 'writing-failed'],
    )
  })

  it('logs once that runs are lost while the history cannot be written, and counts all of them', () => {
    const { seen, observe } = watch()
    const lost: Observation = { kind: 'history-lost', executions: 1, reason: 'r' }
    const isTold = (o: Observation) => o.kind === 'history-lost' && logLine(o) !== null
    const report = reportWriting(observe, 'history')
    for (let run = 0; run < 3; run++) observe(lost)
    assert.equal(seen.filter(isTold).length, 3)
    report('the disk is full')
    for (let run = 0; run < 3; run++) observe(lost)
    assert.equal(seen.filter(isTold).length, 4)
    assert.equal(seen.filter(({ kind }) => kind === 'history-lost').length, 6)
    report(null)
    observe(lost)
    observe(lost)
    assert.equal(seen.filter(isTold).length, 6)
  })

  it('reports how many more runs were lost when the history can be written again, and when the service stops', () => {
    const { seen, observe, stop } = watch()
    const lost: Observation = { kind: 'history-lost', executions: 200, reason: 'r' }
    const losses = () => seen.filter(({ kind }) => kind === 'history-losses')
    const report = reportWriting(observe, 'history')
    report('the disk is full')
    for (let batch = 0; batch < 4; batch++) observe(lost)
    assert.deepEqual(losses(), [])
    report(null)
    assert.deepEqual(losses(), [{ kind: 'history-losses', executions: 600, reason: 'r' }])
    report('the disk is full')
    for (let batch = 0; batch < 3; batch++) observe(lost)
    stop()
    stop()
    assert.deepEqual(
      losses().map((o) => 'executions' in o && o.executions),
      [600, 400],
    )
  })

  it('reports each altered account once, by whomever it is found, until all match again', () => {
    const { seen, observe, readiness } = watch()
    const refused = (accountId: string): Observation => ({
      kind: 'account-refused',
      accountId,
      fault: 'altered',
    })
    const checked = (...ids: string[]): Observation => ({
      kind: 'accounts-checked',
      refused: ids.map((accountId) => ({ accountId, fault: 'altered' })),
      isOfOtherKey: false,
    })
    observe(checked())
    for (let request = 0; request < 3; request++) observe(refused('a'))
    assert.match(readiness().accounts ?? '', /the keys of 1 account are refused/)
    observe(checked('a', 'b'))
    observe(refused('b'))
    assert.match(readiness().accounts ?? '', /the keys of 2 accounts are refused/)
    observe(checked())
    observe(checked())
    assert.equal(readiness().accounts, undefined)
    observe(refused('a'))
    const told = seen.map((o) => ('accountId' in o ? o.accountId : o.kind))
    assert.deepEqual(told, ['a', 'b', 'accounts-checked', 'a'])
  })

  it('reports once that another key has sealed the accounts, and at most 20 accounts one by one', () => {
    const ids = Array.from({ length: 50 }, (_, index) => `${index}`)
    for (const [fault, lines] of [
      ['other-key', 1],
      ['altered', 20],
    ] as const) {
      const { seen, observe, readiness } = watch()
      const isOfOtherKey = fault === 'other-key'
      const found = ids.map((accountId) => ({ accountId, fault }))
      for (let check = 0; check < 2; check++)
        observe({ kind: 'accounts-checked', refused: found, isOfOtherKey })
      for (const account of found) observe({ kind: 'account-refused', ...account })
      assert.deepEqual([seen.length, readiness().hasOtherKey ?? false], [lines, isOfOtherKey])
      assert.match(readiness().accounts ?? '', isOfOtherKey ? /another secret key/ : /of 50 accounts/)
    }
  })

  it('keeps the reason why a snapshot is skipped until a newer one is announced', () => {
    const { observe, readiness } = watch()
    observe({ kind: 'snapshot-skipped', snapshot: '2', reason: 'another format' })
    observe(announced('1'))
    assert.equal(readiness().skipped, 'another format')
    observe(announced('3'))
    assert.equal(readiness().skipped, null)
  })

  it('names the newest of several skipped snapshots, in whichever order they are reported', () => {
    for (const order of [
      ['1', '2'],
      ['2', '1'],
    ]) {
      const { observe, readiness } = watch()
      for (const snapshot of order) observe(skipped(snapshot))
      assert.equal(readiness().skipped, '2 has another format')
    }
  })

  it('does not count a snapshot as skipped when a newer one was announced before', () => {
    const { observe, readiness } = watch()
    observe(announced('3'))
    observe(skipped('2'))
    assert.equal(readiness().skipped, null)
    observe(skipped('4'))
    assert.equal(readiness().skipped, '4 has another format')
  })

  it('reports a skipped snapshot once, even when every thread finds it', () => {
    const { seen, observe } = watch()
    for (const snapshot of ['2', '2', '1', '2']) observe(skipped(snapshot))
    assert.deepEqual(seen, [skipped('2'), skipped('1')])
  })
})
