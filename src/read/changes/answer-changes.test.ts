/** What is kept between requests for the same changes. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createMemoryEngine } from '../../engine/memory/memory-engine.ts'
import { defaultQueryLimits } from '../../query/limits.ts'
import type { StepSource } from '../../snapshot/changes/step-store.ts'
import { fileStepSource, stepsInDataFolder } from '../../snapshot/changes/stored-steps.ts'
import { DataFolder } from '../../snapshot/testing/data-folder.ts'
import { createAnswerChanges } from './answer-changes.ts'

it('reads the steps between two versions once for all who ask for the same changes', async (t) => {
  const data = await DataFolder.make()
  t.after(() => data.remove())
  await data.publish({ A: 'ONE' })
  const catalogue = await data.open()
  let asked = 0
  const files = fileStepSource(async () => stepsInDataFolder(data.path))
  const steps: StepSource = {
    ...files,
    edges: (...of) => {
      asked++
      return files.edges(...of)
    },
  }
  const { observe } = data
  const engine = createMemoryEngine()
  const answer = createAnswerChanges({ catalogue, engine, limits: defaultQueryLimits, observe, steps })
  const ask = (...parameters: [string, string][]) =>
    answer({
      version: 2,
      list: 'bookings',
      principal: { accountId: 'a', accountName: 'a', clientNumber: 'A' },
      query: null,
      parameters: () => parameters,
    })
  const since = (await ask()).changesToken as string
  await data.publish({ A: 'TWO' })
  await catalogue.refresh()
  for (let i = 0; i < 3; i++) {
    const found = await ask(['since', since])
    assert.equal((await found.execute()).count, 2)
  }
  assert.equal(asked, 1)
})
