/** What is kept between requests for the same changes. */
import assert from 'node:assert/strict'
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { createMemoryEngine } from '../../engine/memory/memory-engine.ts'
import { defaultQueryLimits } from '../../query/limits.ts'
import type { StepSource } from '../../snapshot/changes/step-store.ts'
import { fileStepSource, stepsInDataFolder } from '../../snapshot/changes/stored-steps.ts'
import { DataFolder, damage } from '../../snapshot/testing/data-folder.ts'
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

it('reads which snapshots were current for a moment only, and after the steps', async (t) => {
  const data = await DataFolder.make()
  t.after(() => data.remove())
  await data.publish({ A: 'ONE' })
  const catalogue = await data.open()
  const files = fileStepSource(async () => stepsInDataFolder(data.path))
  const asked: string[] = []
  const steps: StepSource = {
    edges: (...of) => {
      asked.push('steps')
      return files.edges(...of)
    },
    successions: () => {
      asked.push('successions')
      return files.successions()
    },
  }
  const { observe } = data
  const engine = createMemoryEngine()
  const answer = createAnswerChanges({ catalogue, engine, limits: defaultQueryLimits, observe, steps })
  const ask = (since?: string) =>
    answer({
      version: 2,
      list: 'bookings',
      principal: { accountId: 'a', accountName: 'a', clientNumber: 'A' },
      query: null,
      parameters: () => (since === undefined ? [] : [['since', since]]),
    })
  const token = (await ask()).changesToken as string
  const [first] = await files.successions()
  const moment = new Date(first?.at ?? 0).toISOString()
  await data.publish({ A: 'TWO' })
  await catalogue.refresh()
  assert.equal((await (await ask(token)).execute()).count, 2)
  assert.deepEqual(asked.splice(0), ['steps'])
  assert.equal((await (await ask(moment)).execute()).count, 2)
  // The changes are kept.
  assert.deepEqual(asked, ['steps', 'successions'])

  const changes = join(data.path, 'changes')
  const [client = ''] = (await readdir(changes)).filter((name) => name.startsWith('A-'))
  const [step = ''] = (await readdir(join(changes, client))).filter((name) => name.startsWith('bookings.'))
  await damage(join(changes, client, step))
  const again = createAnswerChanges({ catalogue, engine, limits: defaultQueryLimits, observe, steps: files })
  const found = await again({
    version: 2,
    list: 'bookings',
    principal: { accountId: 'a', accountName: 'a', clientNumber: 'A' },
    query: null,
    parameters: () => [['since', moment]],
  })
  await assert.rejects(found.execute(), { code: 'SNP333' })
})

it('does not guess what was current while the clock of a refresh was ahead', async (t) => {
  const data = await DataFolder.make()
  t.after(() => data.remove())
  await data.publish({ A: 'ONE' })
  const steps = fileStepSource(async () => stepsInDataFolder(data.path))
  const [first] = await steps.successions()
  const { id } = await data.publish({ A: 'TWO' })
  const notes = join(data.path, 'changes', 'successions')
  const [name = ''] = (await readdir(notes)).filter((each) => each.split('.')[1] === id)
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().replace(/[-:.]/g, '')
  await rename(join(notes, name), join(notes, name.replace(/^\w+/, tomorrow)))
  const catalogue = await data.open()
  const { observe } = data
  const engine = createMemoryEngine()
  const answer = createAnswerChanges({ catalogue, engine, limits: defaultQueryLimits, observe, steps })
  const ask = (moment: number) =>
    answer({
      version: 2,
      list: 'bookings',
      principal: { accountId: 'a', accountName: 'a', clientNumber: 'A' },
      query: null,
      parameters: () => [['since', new Date(moment).toISOString()]],
    })
  await assert.rejects(ask(Date.now()), { code: 'SNP333' })
  assert.equal((await (await ask((first?.at ?? 0) - 1)).execute()).count, 1)
})
