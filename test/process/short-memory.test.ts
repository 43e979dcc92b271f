/** Callers without a key who try to take all memory of the threads that run scripts. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type EndpointsFolder, openEndpointsFolder } from './published-endpoints.ts'
import { type ServingHere, serveHere } from './service-in-process.ts'

let folder: EndpointsFolder
before(async () => {
  folder = await openEndpointsFolder()
})
after(() => folder.close())

const MIB = 2 ** 20

/** A JSON array of just under a megabyte. */
function array(item: (i: number) => string): string {
  const items: string[] = []
  for (let bytes = 0, i = 0; bytes < MIB - 100; i++) {
    items.push(item(i))
    bytes += item(i).length + 1
  }
  return `[${items.join()}]`
}

const bodies: readonly (readonly [what: string, body: string, refused?: RegExp])[] = [
  ['objects with a key of its own each', array((i) => `{"k${i}":1}`), /at most 10000 different keys/],
  [
    'one object with many keys',
    `{${array((i) => `"k${i}":1`).slice(1, -1)}}`,
    /at most 10000 different keys/,
  ],
  ['empty arrays', array(() => '[]')],
  ['objects with one of few keys', array((i) => `{"k${i % 9000}":1}`)],
  ['fractions', array(() => '.5'.padStart(3, '0'))],
]

const greedy: { readonly [name: string]: string } = {
  'equal-texts': 'var l = [] while true do l.add(PadRight("x", 1000000, "€")) end',
  slices: 'var l = [] while true do l.add(Substring(PadRight("x", 1000000, "€"), 0, 125001)) end',
  lambdas: 'var l = [] while true do var s = PadRight("x", 100000, "€") l.add(x => s) end',
}

/** Twice as many as have room in both threads. */
const CALLS = 24

describe('a service with little memory for scripts', () => {
  let service: ServingHere & { readonly close: () => Promise<void> }
  before(async () => {
    for (const name of 'abcd') {
      await folder.publish(name, 'Data._payload = Length(Data.request.body)\nSleep(1000)', {}, 'POST')
    }
    // On a busy machine a run waits for its turn; it must not be refused for that.
    await folder.publish('other', 'Data._payload = 1', { milliseconds: 60_000 })
    for (const [name, script] of Object.entries(greedy)) await folder.publish(name, script)
    service = await serveHere(folder.data, {
      env: {
        TRIPFOLIO_SCRIPT_THREAD_MEMORY: '256MiB',
        TRIPFOLIO_SCRIPT_THREADS: '2',
        TRIPFOLIO_SCRIPT_QUEUE_MILLISECONDS: '60000',
      },
    })
  })
  after(() => service.close())

  const endpoint = (name: string): string => `${service.address}/api/dynamic/v1/${name}`

  /** Calls an endpoint of somebody else until the hostile calls are answered. */
  async function whileOthersCall(hostile: readonly Promise<string>[]): Promise<readonly string[]> {
    let isOver = false
    const answers = Promise.all(hostile).finally(() => {
      isOver = true
    })
    const others: number[] = []
    while (!isOver) {
      others.push((await fetch(endpoint('other'))).status)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.deepEqual([...new Set(others)], [200])
    const lost = service
      .output()
      .split('\n')
      .filter((line) => /sign of life|OUT_OF_MEMORY|END103/.test(line))
    assert.deepEqual(lost, [])
    return answers
  }

  const call = async (name: string, init?: RequestInit): Promise<string> => {
    const response = await fetch(endpoint(name), init)
    return `${response.status} ${await response.text()}`
  }

  for (const [
    what,
    body,
    refused = /^200|^50[03] .*(?:short of memory|did not begin|its script failed)/,
  ] of bodies) {
    it(`loses no run of others to ${CALLS} bodies of ${what}`, async () => {
      const headers = { 'content-type': 'application/json' }
      const hostile = Array.from({ length: CALLS }, (_, i) =>
        call('abcd'.charAt(i % 4), { method: 'POST', body, headers }),
      )
      for (const answer of await whileOthersCall(hostile)) assert.match(answer, refused)
    })
  }

  for (const name of Object.keys(greedy)) {
    it(`loses no run of others to a script that keeps ${name}`, async () => {
      const hostile = Array.from({ length: 8 }, () => call(name))
      for (const answer of await whileOthersCall(hostile)) assert.match(answer, /^50[03] /)
    })
  }
})
