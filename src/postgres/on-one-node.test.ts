import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type AdvisoryLock, tryAdvisoryLock } from './advisory-locks.ts'
import { onOneNode } from './on-one-node.ts'
import { endLockHolders, testDatabase } from './testing/postgres-server.ts'

/** A node, and what happened on it, in order. */
function startNode(url: string, test: TestContext) {
  const events: string[] = []
  const waiting = new Set<() => void>()
  const say = (event: string) => {
    events.push(event)
    for (const look of waiting) look()
  }
  const until = (event: string, count = 1) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (events.filter((each) => each === event).length < count) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  const node = onOneNode({
    url,
    lock: 'scheduled-work',
    onTaken: () => say('taken'),
    onGone: (reason) => say(reason === null ? 'given back' : 'lost'),
    everyMs: 20,
  })
  test.after(node.close)
  const add = (name: string) =>
    node.add((lost) => {
      say(`${name} begins`)
      lost.addEventListener('abort', () => say(`${name} is told`))
      return async () => {
        await new Promise(setImmediate)
        say(`${name} ends`)
      }
    })
  return { ...node, add, events, until }
}

const locked = async (url: string): Promise<AdvisoryLock> => {
  const lock = await tryAdvisoryLock(url, 'scheduled-work')
  assert.ok(lock)
  return lock
}

describe('work on one node', () => {
  it('begins when the node has the lock, and is over before another node has it', async (test) => {
    const { url } = await testDatabase(test)
    const first = startNode(url, test)
    await first.until('taken')
    first.add('work')
    const second = startNode(url, test)
    second.add('work')
    assert.deepEqual(first.events, ['taken', 'work begins'])
    await first.close()
    assert.deepEqual(first.events, ['taken', 'work begins', 'work ends', 'given back'])
    await second.until('work begins')
    assert.deepEqual(second.events, ['taken', 'work begins'])
  })

  it('ends when the lock is lost, and begins again on the node that gets it next', async (test) => {
    const { url } = await testDatabase(test)
    const node = startNode(url, test)
    node.add('work')
    await node.until('work begins')
    await endLockHolders(url)
    await node.until('work begins', 2)
    const { events } = node
    assert.equal(events[0], 'taken')
    assert.ok(events.indexOf('work is told') < events.indexOf('lost'), `${events}`)
    assert.ok(events.indexOf('lost') < events.lastIndexOf('taken'), `${events}`)
    await node.until('work ends')
  })

  it('that was ended does not begin again', async (test) => {
    const { url } = await testDatabase(test)
    const other = await locked(url)
    const node = startNode(url, test)
    const endWaiting = node.add('waiting work')
    await endWaiting()
    const endWork = node.add('work')
    await other.release()
    await node.until('work begins')
    await endWork()
    await endLockHolders(url)
    await node.until('taken', 2)
    assert.deepEqual(
      node.events.filter((event) => event.endsWith('begins')),
      ['work begins'],
    )
  })
})
