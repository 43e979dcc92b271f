import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { afterEvent, type LiveState, nothingRuns, runsAt } from './live-runs.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const run = (id: string) => ({
  id,
  state: 'queued',
  endpointName: 'spend',
  arrivedAt: '2026-01-01T00:00:00Z',
})

type Event = readonly [name: string, data: unknown]

const after = (events: readonly Event[], nowMs = START): LiveState =>
  events.reduce((state, [name, data]) => afterEvent(state, name, JSON.stringify(data), nowMs), nothingRuns)

const shown = (state: LiveState) =>
  [...state.runs.values()].map(({ run: { id, state: now }, log, ended }) => [
    id,
    now,
    log.length,
    ended?.status,
  ])

const ended = (id: string) => ({
  id,
  status: 'Failed',
  endedAt: '2026-01-01T00:00:01Z',
  responseStatus: 500,
  code: 'JM1',
})

describe('afterEvent', () => {
  for (const [what, events, expected] of [
    [
      'the list',
      [['list', { runs: [run('a'), run('b')] }]],
      [
        ['a', 'queued', 0, undefined],
        ['b', 'queued', 0, undefined],
      ],
    ],
    ['a run that was queued', [['queued', run('a')]], [['a', 'queued', 0, undefined]]],
    [
      'a run that began and wrote',
      [
        ['queued', run('a')],
        ['started', { id: 'a', startedAt: 'x', queuedMs: 3 }],
        ['log', { id: 'a', message: 'm' }],
      ],
      [['a', 'running', 1, undefined]],
    ],
    [
      'a run that ended',
      [
        ['queued', run('a')],
        ['ended', ended('a')],
      ],
      [['a', 'queued', 0, 'Failed']],
    ],
    [
      'a list without a run that is over',
      [
        ['queued', run('a')],
        ['list', { runs: [] }],
      ],
      [],
    ],
    [
      'a list after a run that ended',
      [
        ['queued', run('a')],
        ['ended', ended('a')],
        ['list', { runs: [] }],
      ],
      [['a', 'queued', 0, 'Failed']],
    ],
    [
      'nothing of a run that is not known',
      [
        ['started', { id: 'x' }],
        ['log', { id: 'x' }],
        ['ended', ended('x')],
      ],
      [],
    ],
    ['nothing of an event of another kind', [['other', {}]], []],
  ] as const) {
    it(`shows ${what}`, () => assert.deepEqual(shown(after(events)), expected))
  }

  it('forgets a run a minute after its end', () => {
    const state = after([
      ['queued', run('a')],
      ['ended', ended('a')],
    ])
    assert.deepEqual(shown(afterEvent(state, 'log', '{"id":"b"}', START + 61_500)), [])
    // Also while there is no event.
    assert.deepEqual(
      [30_000, 61_500].map((afterMs) => runsAt(state.runs, START + afterMs).length),
      [1, 0],
    )
  })

  it('counts what was missed', () => {
    assert.equal(
      after([
        ['missed', { events: 3 }],
        ['missed', { events: 4 }],
      ]).missed,
      7,
    )
  })

  it('keeps the last hundred lines of a run', () => {
    const lines = Array.from(
      { length: 120 },
      (_, index): Event => ['log', { id: 'a', message: String(index) }],
    )
    const [only] = after([['queued', run('a')], ...lines]).runs.values()
    assert.deepEqual([only?.log.length, only?.log[0]?.message], [100, '20'])
  })
})
