import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refreshAfter, shareDone } from './refresh-events.ts'

const event = (name: string, data: object) => ({ event: name, data: JSON.stringify(data) })
const ids = (state: ReturnType<typeof refreshAfter>) => [state?.current?.id, state?.last?.id]

describe('refreshAfter', () => {
  it('begins with the snapshot, follows the progress, and ends with the end', () => {
    let state = refreshAfter(undefined, event('snapshot', { current: null, last: { id: 'a' } }))
    assert.deepEqual(ids(state), [undefined, 'a'])
    state = refreshAfter(state, event('progress', { id: 'b' }))
    assert.deepEqual(ids(state), ['b', 'a'])
    state = refreshAfter(state, event('ended', { id: 'b', outcome: 'refused' }))
    assert.deepEqual(ids(state), [undefined, 'b'])
  })

  it('keeps the refresh that runs when another one has ended', () => {
    const running = refreshAfter(undefined, event('progress', { id: 'b' }))
    assert.deepEqual(ids(refreshAfter(running, event('ended', { id: 'a' }))), ['b', 'a'])
  })

  it('ignores events that it does not know', () => {
    const state = refreshAfter(undefined, event('progress', { id: 'b' }))
    assert.equal(refreshAfter(state, event('later', { id: 'c' })), state)
  })
})

describe('shareDone', () => {
  const progress = { stage: 'read', table: null, tables: null, rows: null, bytes: null } as const
  it('takes what is counted most finely and has an expected end', () => {
    const tables = { done: 1, expected: 4 }
    assert.equal(shareDone({ progress: { ...progress, tables } }), 0.25)
    assert.equal(shareDone({ progress: { ...progress, tables, bytes: { done: 3, expected: 4 } } }), 0.75)
    assert.equal(shareDone({ progress: { ...progress, rows: { done: 3, expected: null }, tables } }), 0.25)
  })

  it('is unknown before anything is counted', () => {
    assert.equal(shareDone({ progress: null }), undefined)
    assert.equal(shareDone({ progress: { ...progress, rows: { done: 9, expected: 0 } } }), undefined)
  })
})
