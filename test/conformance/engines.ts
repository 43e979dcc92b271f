/** The engines that the suite tests against the contract. A new engine is a row here. */
import type { Engine } from '../../src/engine/engine.ts'
import { createMemoryEngine } from '../../src/engine/memory/memory-engine.ts'
import { createRowsEngine } from '../../src/engine/testing/rows-engine.ts'
import type { Snapshot } from '../../src/snapshot/snapshot.ts'

export type ConformingEngine = {
  readonly name: string
  readonly create: () => Engine<Snapshot>
  readonly divergences: readonly Divergence[]
}

/** Cases that the engine fails, by title, and why that is acceptable. The suite checks that it does fail them. */
type Divergence = { readonly cases: readonly string[]; readonly reason: string }

export const engines: readonly ConformingEngine[] = [
  { name: 'memory', create: () => createMemoryEngine(), divergences: [] },
  {
    name: 'rows',
    create: createRowsEngine,
    divergences: [
      {
        cases: ['refuses a plan that names columns of another dataset'],
        reason: 'It reads a missing column as null. Binding has refused such names before a plan is made.',
      },
    ],
  },
]
