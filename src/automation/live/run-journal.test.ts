import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import type { Execution } from '../../schema/execution-shapes.ts'
import type { Recording, RunJob } from '../runs/run-states.ts'
import { request } from '../testing/open-runs.ts'
import { LiveRuns } from './live-runs.ts'
import { openEntries, recordLostRuns } from './lost-runs.ts'
import { journalFolder, openRunJournal, type RunJournal } from './run-journal.ts'

let dataFolder: string

function prepareEachTest(): void {
  beforeEach(() => {
    dataFolder = mkdtempSync(join(tmpdir(), 'tripfolio-journal-'))
  })
  afterEach(() => rmSync(dataFolder, { recursive: true, force: true }))
}

const ARRIVED_AT = Date.UTC(2026, 0, 31, 12)

const jobOf = (executionId: string, more: Partial<RunJob> = {}): RunJob => ({
  executionId,
  type: 'DynamicEndpoint',
  endpoint: { id: 'e-1', name: 'Spend', category: 'Utility', limits: {}, allowedHosts: [] },
  source: { version: 3 },
  request: { ...request, user: { ...request.user, principalId: 'user:ada@example.com' } },
  requestId: 'r-1',
  rerunOf: null,
  signatureHeaders: [],
  arrivedAt: ARRIVED_AT,
  ...more,
})

const fail = (cause: Error): never => {
  throw cause
}

/** @param reservedBytes so few that the file is written anew after some runs */
const open = (reservedBytes = 1000): RunJournal =>
  openRunJournal({ dataFolder, onFailure: fail, now: () => ARRIVED_AT, reservedBytes })

const texts = (): string[] => {
  const folder = journalFolder(dataFolder)
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
}

/** Stands for a history that has these runs already. */
function historyWith(known: readonly string[]) {
  const recorded: Execution[] = []
  return {
    recorded,
    history: {
      find: async (id: string) => (known.includes(id) ? ({ id } as Execution) : null),
      record: async (executions: readonly Execution[]) => void recorded.push(...executions),
    },
  }
}

describe('the journal of runs', () => {
  prepareEachTest()

  it('has exactly the runs that are begun and not settled, whatever happens in which turn', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('begun' as const), run: fc.nat(30) }),
      fc.record({ kind: fc.constant('settled' as const), run: fc.nat(30) }),
      fc.record({ kind: fc.constant('turn' as const), run: fc.constant(0) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const journal = open()
        const expected = new Set<string>()
        for (const { kind, run } of steps) {
          if (kind === 'turn') await turn()
          else if (kind === 'settled') {
            journal.settled([`run ${run}`])
            expected.delete(`run ${run}`)
          } else {
            journal.begun(jobOf(`run ${run}`))
            expected.add(`run ${run}`)
          }
        }
        await turn()
        const folder = journalFolder(dataFolder)
        const found = steps.some(({ kind }) => kind === 'begun') ? texts().flatMap(openEntries) : []
        journal.close()
        rmSync(folder, { recursive: true, force: true })
        assert.deepEqual(found.map(({ executionId }) => executionId).sort(), [...expected].sort())
      }),
      { numRuns: 50 },
    )
  })

  it('stays short, and keeps a run that lasts', async () => {
    const journal = open()
    journal.begun(jobOf('lasts'))
    for (let round = 0; round < 300; round++) {
      const ids = Array.from({ length: 100 }, (_, nth) => `${round} ${nth}`)
      for (const id of ids) journal.begun(jobOf(id))
      await turn()
      journal.settled(ids)
      await turn()
    }
    const [text = ''] = texts()
    assert.ok(text.length < 100_000, `${text.length}`)
    assert.deepEqual(
      openEntries(text).map(({ executionId }) => executionId),
      ['lasts'],
    )
    journal.close()
  })

  it('has its space before it needs it, because a disk may be full when it does', async () => {
    const journal = open(2 ** 18)
    const sizes: unknown[] = []
    for (let nth = 0; nth < 3; nth++) {
      for (let run = 0; run < 100; run++) journal.begun(jobOf(`${nth} ${run}`))
      await turn()
      const [name = ''] = readdirSync(journalFolder(dataFolder))
      const { size, blocks, ino } = statSync(join(journalFolder(dataFolder), name))
      assert.ok(512 * blocks >= 2 ** 18)
      sizes.push([size, ino])
    }
    assert.deepEqual(sizes, [sizes[0], sizes[0], sizes[0]])
    assert.equal(texts().flatMap(openEntries).length, 300)
    journal.close()
  })

  it('keeps nothing of runs that have their records, as soon as no other run is open', async () => {
    const journal = open(2 ** 18)
    for (const id of ['1', '2']) journal.begun(jobOf(id))
    await turn()
    journal.settled(['1'])
    await turn()
    assert.match(texts()[0] ?? '', /ada@example/)
    journal.settled(['2'])
    await turn()
    assert.match(texts()[0] ?? '', /^\0+$/)
    journal.begun(jobOf('3'))
    await turn()
    assert.deepEqual(
      texts()
        .flatMap(openEntries)
        .map(({ executionId }) => executionId),
      ['3'],
    )
    journal.close()
  })

  it('can be read by its owner only, and is removed when every run is settled', async () => {
    const journal = open()
    journal.begun(jobOf('1'))
    await turn()
    const [name = ''] = readdirSync(journalFolder(dataFolder))
    assert.equal(statSync(join(journalFolder(dataFolder), name)).mode & 0o777, 0o600)
    journal.settled(['1'])
    journal.close()
    assert.deepEqual(readdirSync(journalFolder(dataFolder)), [])
  })

  it('tells once that it cannot be written, and has every run that is not settled when it can', async () => {
    const failures: Error[] = []
    let now = ARRIVED_AT
    const journal = openRunJournal({
      dataFolder,
      onFailure: (cause) => void failures.push(cause),
      now: () => now,
    })
    // A file where the folder should be.
    writeFileSync(journalFolder(dataFolder), '')
    for (const id of ['1', '2']) {
      journal.begun(jobOf(id))
      await turn()
    }
    assert.equal(failures.length, 1)
    rmSync(journalFolder(dataFolder))
    now += 1000
    journal.begun(jobOf('3'))
    await turn()
    assert.deepEqual(
      texts()
        .flatMap(openEntries)
        .map(({ executionId }) => executionId),
      ['1', '2', '3'],
    )
    journal.close()
  })
})

describe('lost runs', () => {
  prepareEachTest()

  it('are recorded with what is known, except those that have a record', async () => {
    const journal = open()
    for (const id of ['1', '2']) journal.begun(jobOf(id))
    await turn()
    const { history, recorded } = historyWith(['1'])
    assert.equal(await recordLostRuns({ dataFolder, history, before: ARRIVED_AT + 1 }), 1)
    const [row] = recorded
    assert.ok(row !== undefined && recorded.length === 1)
    assert.deepEqual(
      [row.id, row.status, row.error?.code, row.endpointName, row.version, row.principalId, row.startedAt],
      ['2', 'Failed', 'END108', 'Spend', 3, 'user:ada@example.com', new Date(ARRIVED_AT).toISOString()],
    )
    assert.deepEqual([row.path, row.requestId, row.request.body], [request.path, 'r-1', null])
    assert.deepEqual(readdirSync(journalFolder(dataFolder)), [])
  })

  const pattern = '/api/dynamic/v1/people/{passport}'
  const modes: readonly (readonly [
    Omit<Recording, 'pattern'>,
    path: string,
    queryString: string,
    principalId: string | null,
  ])[] = [
    [{ record: 'none', maskedFields: [] }, pattern, '', null],
    [{ record: 'metadata', maskedFields: [] }, '/api/dynamic/v1/people/P-12345', '', 'user:ada@example.com'],
    [
      { record: 'full', maskedFields: ['passport'] },
      '/api/dynamic/v1/people/[redacted]',
      '?note=%5Bcard%20ending%201111%5D',
      'user:ada@example.com',
    ],
  ]
  for (const [parts, path, queryString, principalId] of modes) {
    it(`and the list of live runs have no more than a record: ${JSON.stringify(parts)}`, async () => {
      const journal = open()
      const job = jobOf('1', {
        request: {
          ...request,
          path: '/api/dynamic/v1/people/P-12345',
          queryString: '?note=4111111111111111',
          query: { note: '4111111111111111' },
          params: { passport: 'P-12345' },
          user: { ...request.user, principalId: 'user:ada@example.com' },
        },
        requestId: 'r-4111111111111111',
        recording: { ...parts, pattern },
      })
      journal.begun(job)
      await turn()
      const [text = ''] = texts()
      assert.ok(!text.includes('4111111111111111'), text)
      assert.equal(text.includes('P-12345'), parts.record === 'metadata')
      const { history, recorded } = historyWith([])
      await recordLostRuns({ dataFolder, history, before: ARRIVED_AT + 1 })
      const [row] = recorded
      assert.deepEqual(
        [row?.recorded, row?.path, row?.request.queryString, row?.principalId, row?.requestId],
        [parts.record, path, queryString, principalId, principalId === null ? null : 'r-[card ending 1111]'],
      )
      const live = new LiveRuns('a')
      live.queued(job)
      const [shown] = live.list({})
      assert.deepEqual(
        [shown?.path, shown?.principalId, shown?.requestId],
        [row?.path, principalId, row?.requestId],
      )
    })
  }

  it('and the list show no number of a card in the id of a request without parameters', async () => {
    const journal = open()
    const job = jobOf('1', { requestId: '4111-1111-1111-1111' })
    journal.begun(job)
    await turn()
    assert.doesNotMatch(texts()[0] ?? '', /1111-1111/)
    const keeping = new LiveRuns('a', { cardNumbers: 'keep' })
    for (const live of [new LiveRuns('a'), keeping]) live.queued(job)
    assert.equal(keeping.list({})[0]?.requestId, '4111-1111-1111-1111')
    journal.close()
  })

  it('of a process that began later are left to it', async () => {
    const journal = open()
    journal.begun(jobOf('1'))
    await turn()
    const { history } = historyWith([])
    assert.equal(await recordLostRuns({ dataFolder, history, before: ARRIVED_AT }), 0)
    assert.equal(readdirSync(journalFolder(dataFolder)).length, 1)
    journal.close()
  })

  it('stay in the journal while the history cannot be written, and a cut last line is no run', async () => {
    const folder = journalFolder(dataFolder)
    const journal = open()
    journal.begun(jobOf('1'))
    await turn()
    const [name = ''] = readdirSync(folder)
    writeFileSync(join(folder, name), `${texts()[0]}["2","Dyn`)
    const { history, recorded } = historyWith([])
    const full = { ...history, record: () => Promise.reject(new Error('the disk is full')) }
    await assert.rejects(recordLostRuns({ dataFolder, history: full, before: ARRIVED_AT + 1 }), /full/)
    assert.equal(await recordLostRuns({ dataFolder, history, before: ARRIVED_AT + 1 }), 1)
    assert.deepEqual(
      recorded.map(({ id }) => id),
      ['1'],
    )
  })

  it('are recorded whatever else is in a damaged journal, and beside one that cannot be read', async () => {
    const folder = journalFolder(dataFolder)
    const journal = open()
    for (const id of ['1', '2', '3']) journal.begun(jobOf(id))
    await turn()
    const [name = ''] = readdirSync(folder)
    const [first = '', second = '', third = ''] = texts()[0]?.split('\n') ?? []
    const damaged = [
      ...['[]', '[1]', '{}', 'null', '\0\0', '-', `${second},`, second.replace(`${ARRIVED_AT}`, '1e300')],
      ...[second.replace(`${ARRIVED_AT}`, '"x"'), second.slice(0, -5) + third.slice(40)],
    ]
    writeFileSync(join(folder, name), [...damaged, first, ...damaged, third, ''].join('\n'))
    mkdirSync(join(folder, `${ARRIVED_AT - 1}-1.journal`))
    const { history, recorded } = historyWith([])
    await assert.rejects(recordLostRuns({ dataFolder, history, before: ARRIVED_AT + 1 }), /directory/)
    assert.deepEqual(
      recorded.map(({ id }) => id),
      ['1', '3'],
    )
  })
})
