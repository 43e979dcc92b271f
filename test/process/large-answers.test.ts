/** Scripts whose values become much longer when they are written: each ends within its limits, and other callers are not affected. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openHistory } from '../../src/directory/open-stores.ts'
import { type EndpointsFolder, openEndpointsFolder } from './published-endpoints.ts'
import { type Serving, whileServing } from './tripfolio-process.ts'

let folder: EndpointsFolder
before(async () => {
  folder = await openEndpointsFolder()
})
after(() => folder.close())

/** Twice as many simultaneous calls as may run by default. */
const CALLS = 16

const doubled = (first: string, times: number) => `var a = ${first} for i in 0 to ${times} do a = [a, a] end`

/** A text of a million characters. */
const LONG_TEXT = 'var t = "token=x;" for i in 0 to 17 do t = t + t end'

type Row = readonly [what: string, script: string, status: number, code: string | null]

const rows: readonly Row[] = [
  [
    'a payload of shared parts that is too long',
    `${doubled(`["${'x'.repeat(64)}"]`, 17)} Data._payload = a`,
    500,
    'JM5911',
  ],
  ['a payload that is far too long', `${doubled('[]', 60)} Data._payload = a`, 500, 'JM5911'],
  ['a payload of shared parts that just fits', `${doubled('[]', 20)} Data._payload = a`, 200, null],
  ['the JSON of a value', `${doubled('[]', 40)} Data._payload = Length(ToJson(a))`, 500, 'JM5910'],
  ['the text of a value', `${doubled('[]', 40)} Data._payload = Length("" + a)`, 500, 'JM5910'],
  ['a notepad', `${doubled('[]', 40)} Data._payload = CreateNotepad(a)`, 200, null],
  [
    'lines of the log',
    `${LONG_TEXT} for i in 0 to 20 do Log("Information", t) end Data._payload = 1`,
    200,
    null,
  ],
  ['a notification', `${LONG_TEXT} Data._payload = BroadcastNotification("t", t, "Info")`, 200, null],
]

describe('values that become much longer when they are written', () => {
  it('delay no other caller, and end within their limits', async (test) => {
    await whileServing(folder.data, async (serving) => {
      for (const row of rows) await test.test(row[0], () => callsOf(row, serving))
    })
  })
})

async function callsOf([what, script, status, code]: Row, serving: Serving): Promise<void> {
  const { address, output } = serving
  const path = what.replaceAll(' ', '-')
  await folder.publish(path, script, { milliseconds: 60_000, concurrency: CALLS })
  // Scripts run at the lowest priority: on a busy machine even a short one may wait for its processor longer than usual.
  await folder.publish(`${path}-beside`, 'Data._payload = "beside"', { milliseconds: 60_000 })
  const beside = async () => {
    const response = await fetch(`${address}/api/dynamic/v1/${path}-beside`)
    assert.deepEqual([response.status, await response.text()], [200, '"beside"'])
  }
  await beside()
  const before = await memoryOf(serving)
  let running = CALLS
  const calls = Array.from({ length: CALLS }, async () => {
    const response = await fetch(`${address}/api/dynamic/v1/${path}`)
    const text = await response.text()
    running--
    return { status: response.status, text }
  })
  let memory = before
  do {
    await beside()
    memory = Math.max(memory, await memoryOf(serving))
  } while (running > 0)
  const answers = await Promise.all(calls)
  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([status]))
  assert.ok(memory - before < 700 * 2 ** 20, `${(memory - before) / 2 ** 20} MiB more`)
  assert.doesNotMatch(output(), /thread ended/)
  if (code !== null) {
    const { executionId } = JSON.parse(answers[0]?.text ?? '') as { executionId: string }
    assert.equal((await recorded(executionId)).error?.code, code)
  }
}

async function memoryOf({ address }: Serving): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1])
}

async function recorded(executionId: string) {
  const history = await openHistory(folder.data)
  try {
    for (;;) {
      const found = await history.find(executionId)
      if (found !== null) return found
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    await history.close()
  }
}
