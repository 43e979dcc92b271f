/** The entity tag of an answer: bodies that differ never share one, however little they differ. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMemoryEngine } from '../engine/memory/memory-engine.ts'
import { joined } from '../engine/testing/joined-chunks.ts'
import { defaultQueryLimits } from '../query/limits.ts'
import { fileStepSource, stepsInDataFolder } from '../snapshot/changes/stored-steps.ts'
import { DataFolder } from '../snapshot/testing/data-folder.ts'
import { type Answer, answer, type DataRequest } from './answer.ts'
import { createAnswerChanges } from './changes/answer-changes.ts'

type Given = readonly (readonly [name: string, value: string])[]
type Ask = (request: DataRequest) => Promise<Answer>

let data: DataFolder
let asks: Readonly<Record<'records' | 'changes', Ask>>
before(async () => {
  data = await DataFolder.make()
  await data.publish({ A: 'ONE', a: 'ONE' })
  const deps = {
    catalogue: await data.open(),
    engine: createMemoryEngine(),
    limits: defaultQueryLimits,
    observe: data.observe,
    steps: fileStepSource(async () => stepsInDataFolder(data.path)),
  }
  asks = { records: (request) => answer(request, deps), changes: createAnswerChanges(deps) }
})
after(() => data.remove())

/** What the body is made of, and its tag. */
async function told(kind: keyof typeof asks, parameters: Given, clientNumber = 'A') {
  const principal = { accountId: 'a', accountName: 'a', clientNumber }
  const found = await asks[kind]({
    version: 2,
    list: 'bookings',
    principal,
    query: null,
    parameters: () => parameters,
  })
  const result = await found.execute()
  const records = await joined(result.chunks('json', 2 ** 20))
  const { member, changesToken } = found
  return {
    etag: found.etag,
    records: `${member} ${records}`,
    meta: JSON.stringify([found.meta(result), changesToken ?? null]),
  }
}

/** They have the same records, as far as they have any. */
const alike: readonly Given[] = [
  [],
  [['$top', '1']],
  [['$top', '50']],
  [['$top', '500']],
  [['$skip', '0']],
  [['$page', '1']],
  [['$pageSize', '50']],
  [['$pageSize', '51']],
  [['$pageSize', '500']],
  [
    ['$page', '1'],
    ['$pageSize', '1'],
  ],
  [['$page', '2']],
  [['$page', '3']],
  [['$page', '10000000000']],
  [['$page', '10000000001']],
  [
    ['$page', '3'],
    ['$pageSize', '49'],
  ],
  [['$skip', '1']],
  [['$skip', '100']],
]
const ofRecords: readonly Given[] = [
  [['$count', 'true']],
  [['$orderby', 'recordLocator']],
  [['$filter', "recordLocator eq 'ONE'"]],
  [['$filter', "recordLocator eq 'TWO'"]],
  [['$select', 'recordLocator']],
  [['$apply', 'aggregate($count as n)']],
  [['$apply', 'groupby((recordLocator))']],
]

describe('the entity tag', () => {
  for (const [kind, queries] of [
    ['records', [...alike, ...ofRecords]],
    ['changes', alike],
  ] as const) {
    it(`of ${kind} differs wherever records or _meta do`, async () => {
      const answers = await Promise.all(queries.map((query) => told(kind, query)))
      const bodies = answers.map(({ records, meta }) => `${records} ${meta}`)
      const differOnlyInMeta = answers.some(
        ({ records, meta }, at) => at > 0 && records === answers[0]?.records && meta !== answers[0]?.meta,
      )
      assert.ok(differOnlyInMeta)
      for (const [at, body] of bodies.entries()) {
        for (let other = 0; other < at; other++) {
          if (body === bodies[other]) continue
          const which = JSON.stringify([queries[other], queries[at]])
          assert.notEqual(answers[at]?.etag, answers[other]?.etag, `${which}: ${bodies[other]} ${body}`)
        }
      }
    })

    it(`of ${kind} is the same for the same question, and another for a client with the same records`, async () => {
      for (const query of queries) {
        const first = await told(kind, query)
        assert.deepEqual(await told(kind, query), first)
        const ofOther = await told(kind, query, 'a')
        assert.notEqual(ofOther.etag, first.etag, JSON.stringify(query))
      }
    })
  }
})
