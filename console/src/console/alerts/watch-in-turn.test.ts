import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { watchInTurn } from './watch-in-turn.ts'

describe('hidden tabs', () => {
  it('watch one at a time, and the next one when the one before is shown', async () => {
    const tabs = [hiddenTab(), hiddenTab(), hiddenTab()] as const
    const [first, second, third] = tabs
    const turns = () => tabs.map((tab) => tab.turns.join())
    for (const tab of tabs) await tab.told(1)
    assert.deepEqual(turns(), ['true', 'false', 'false'])
    third.shown.abort()
    await third.ended
    first.shown.abort()
    await first.ended
    await second.told(2)
    assert.deepEqual(turns(), ['true', 'false,true', 'false'])
    second.shown.abort()
    await second.ended
  })
})

function hiddenTab() {
  const shown = new AbortController()
  const turns: boolean[] = []
  const ended = watchInTurn(shown.signal, (isTurn) => turns.push(isTurn))
  const told = async (times: number) => {
    while (turns.length < times) await nextTurn()
  }
  return { shown, turns, ended, told }
}
