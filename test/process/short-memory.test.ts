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
  for (let bytes = 0, i = 0; bytes < MIB - 1000; i++) {
    items.push(item(i))
    bytes += Buffer.byteLength(item(i)) + 1
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

const FORM = 'application/x-www-form-urlencoded'

const times = (text: string, bytes = MIB): string => text.repeat((bytes - 100) / Buffer.byteLength(text))

/** These are sent together. */
const mixed: readonly (readonly [body: string, type?: string])[] = [
  [array(() => '-0')],
  [array(() => '1234567890'.repeat(30))],
  [array(() => '1e9')],
  [array((i) => `"${i.toString(36)}"`)],
  [array(() => '"€"')],
  [array(() => '"\\u0000"')],
  [array(() => '"\\u20ac\\n"')],
  [`"${times('\\u20ac')}"`],
  [`"${times('€')}"`],
  [`"€${times('a')}"`],
  [array((i) => `{${Array.from({ length: 20 }, (_, k) => `"k${(7 * i + 11 * k) % 9000}":1`)}}`)],
  [array(() => `{${Array.from({ length: 40 }, (_, k) => `"${k}":1`)}}`)],
  [array((i) => `{"${i % 9000}":1}`)],
  [array(() => '{"":{}}')],
  [`{${times('"k":[],')}"k":1}`],
  [times('[', MIB / 2) + times(']', MIB / 2)],
  [array(() => '['.repeat(60) + ']'.repeat(60))],
  [array(() => `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`)],
  [array(() => `[${'1,'.repeat(17)}1]`)],
  [times('a=%E2%82%AC&'), FORM],
  [Array.from({ length: 80_000 }, (_, i) => `n${i % 9000}=${i}`).join('&'), FORM],
  [times('&'), FORM],
  [`a=${times('€')}`, FORM],
  [times('€'), 'text/plain'],
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
    const others = new Set<string>()
    while (!isOver) {
      others.add(await call('other'))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const lost = service
      .output()
      .split('\n')
      .filter((line) => /sign of life|OUT_OF_MEMORY|END103/.test(line))
    assert.deepEqual(lost, [])
    assert.deepEqual([...others], ['200 1'])
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

  it('loses no run of others to bodies of many other forms', async () => {
    const hostile = mixed.map(([body, type = 'application/json'], i) =>
      call('abcd'.charAt(i % 4), { method: 'POST', body, headers: { 'content-type': type } }),
    )
    for (const answer of await whileOthersCall(hostile)) {
      assert.match(
        answer,
        /^200|^400 .*nested|^50[03] .*(?:short of memory|did not begin|its script failed)/i,
      )
    }
  })

  it('loses no run of others to forms of many names without a value', async () => {
    const hostile = Array.from({ length: 8 }, (_, i) =>
      call('abcd'.charAt(i % 4), { method: 'POST', body: times('a&'), headers: { 'content-type': FORM } }),
    )
    for (const answer of await whileOthersCall(hostile)) assert.match(answer, /^200|^50[03] /)
  })

  for (const name of Object.keys(greedy)) {
    it(`loses no run of others to a script that keeps ${name}`, async () => {
      const hostile = Array.from({ length: 8 }, () => call(name))
      for (const answer of await whileOthersCall(hostile)) assert.match(answer, /^50[03] /)
    })
  }
})
