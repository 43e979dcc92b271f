import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Deed } from '../directory/audit/audit.ts'
import { openReadingTrail } from './reading-trail.ts'

const deed = { actor: 'user:ann', action: 'execution.view', subjectId: 'e1', after: null }

it('lets no reading go on whose entry is not written, and tries again the next time', async () => {
  const written: Deed[] = []
  let isFull = true
  const note = openReadingTrail({
    note: async (deed) => {
      if (isFull) throw new Error('the disk is full')
      written.push(deed)
    },
  })
  await assert.rejects(note(deed), /full/)
  await assert.rejects(note(deed), /full/)
  isFull = false
  await note(deed)
  await note(deed)
  assert.deepEqual(written, [deed])
})

it('cuts what an address may make as long as it likes', async () => {
  const written: Deed[] = []
  const note = openReadingTrail({ note: async (deed) => void written.push(deed) })
  const long = 'x'.repeat(10_000)
  await note({ ...deed, subjectId: long, after: { content: long, table: undefined } })
  assert.ok(JSON.stringify(written).length < 1000)
  assert.deepEqual(Object.keys(written[0]?.after as object), ['content'])
})
