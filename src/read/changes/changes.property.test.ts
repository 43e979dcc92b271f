/**
 * The law of changes: whoever applies them, over any walk of tokens, has the current records byte for byte. Over random histories
 * of snapshots in a data folder. A failure prints its seed: set TRIPFOLIO_PROPERTY_SEED to it and run again.
 */
import { it } from 'node:test'
import fc from 'fast-check'
import { createMemoryEngine } from '../../engine/memory/memory-engine.ts'
import { defaultQueryLimits } from '../../query/limits.ts'
import { fileStepSource, removeOldSteps, stepsInDataFolder } from '../../snapshot/changes/stored-steps.ts'
import { noteSuccession } from '../../snapshot/changes/stored-successions.ts'
import { DataFolder } from '../../snapshot/testing/data-folder.ts'
import { rollBack } from '../../snapshot/writing/roll-back.ts'
import { beginSnapshot, removeOldSnapshots } from '../../snapshot/writing/snapshot-writer.ts'
import { followHistory } from './testing/follow-history.ts'
import { arbitraryHistory } from './testing/histories.ts'

const seed = Number(process.env.TRIPFOLIO_PROPERTY_SEED ?? Math.floor(Math.random() * 0x7fffffff))

it('changes over any walk of tokens lead to the current records, byte for byte, and moments mean their tokens', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryHistory, fc.infiniteStream(fc.nat()), async (history, choices) => {
      const folder = await DataFolder.make()
      const { path, observe } = folder
      try {
        const catalogue = await folder.open()
        const place = {
          deps: { catalogue, engine: createMemoryEngine(), limits: defaultQueryLimits, observe },
          steps: fileStepSource(async () => stepsInDataFolder(path)),
          begin: () => beginSnapshot(path),
          rollBack: () => rollBack(path, undefined),
          retire: (keep: number) => removeOldSnapshots(path, keep),
          noteKilled: async (snapshot: string) => {
            const current = catalogue.current()?.id
            // The first snapshot would not count as the first one: removed snapshots look the same.
            if (current === undefined) return
            const note = { snapshot, before: current, compared: current, steps: 0, unknown: [] }
            await noteSuccession(stepsInDataFolder(path), note)
          },
          forget: (before: Date) => removeOldSteps(stepsInDataFolder(path), before),
          look: () => catalogue.refresh(),
        }
        await followHistory(place, history, choices)
      } finally {
        await folder.remove()
      }
    }),
    { seed, numRuns: 25 },
  )
})
