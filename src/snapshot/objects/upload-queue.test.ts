import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ObjectStore } from './object-store.ts'
import { UploadQueue } from './upload-queue.ts'

/** A storage whose uploads end when the test says so. */
function slowStore() {
  const running: { readonly bytes: number; readonly end: (error?: Error) => void }[] = []
  let mostRunning = 0
  let mostBytes = 0
  const put: ObjectStore['put'] = (_key, { bytes }) =>
    new Promise((resolve, reject) => {
      const upload = {
        bytes,
        end: (error?: Error) => {
          running.splice(running.indexOf(upload), 1)
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      running.push(upload)
      mostRunning = Math.max(mostRunning, running.length)
      mostBytes = Math.max(
        mostBytes,
        running.length > 1 ? running.reduce((sum, each) => sum + each.bytes, 0) : 0,
      )
    })
  const store: ObjectStore = {
    name: 'slow',
    put,
    get: async () => null,
    list: async function* () {},
    delete: async () => undefined,
    exists: async () => false,
    close: () => undefined,
  }
  return { store, running, most: () => ({ running: mostRunning, bytes: mostBytes }) }
}

const MB = 2 ** 20
const content = (bytes: number) => ({ chunks: [], bytes, sha256: '' })
const nextTurn = () => new Promise(setImmediate)

describe('UploadQueue', () => {
  it('uploads several objects at a time, but no more than a number and a total of bytes', async () => {
    const { store, running, most } = slowStore()
    const queue = new UploadQueue(store)
    const sizes = [...new Array<number>(40).fill(MB), 200 * MB, ...new Array<number>(10).fill(30 * MB)]
    let isAdded = false
    const adding = (async () => {
      for (const [number, bytes] of sizes.entries()) await queue.add(`${number}`, content(bytes))
      isAdded = true
    })()
    while (!isAdded || running.length > 0) {
      await nextTurn()
      running[0]?.end()
    }
    await adding
    await queue.stored()
    assert.equal(queue.keys.length, sizes.length)
    assert.equal(most().running, 16)
    assert.ok(most().bytes <= 64 * MB, `${most().bytes / MB} MB`)
  })

  it('refuses further uploads once one has failed, and says so at the end', async () => {
    const { store, running } = slowStore()
    const queue = new UploadQueue(store)
    await queue.add('a', content(1))
    running[0]?.end(new Error('no space is left'))
    await queue.ended()
    await assert.rejects(queue.add('b', content(1)), { code: 'SNP401', message: /no space is left/ })
    await assert.rejects(queue.stored(), { code: 'SNP401' })
    assert.deepEqual(queue.keys, ['a'])
  })
})
