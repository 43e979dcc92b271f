/** The engines that the suite tests against the contract. A new engine is a row here. */
import type { Engine, ResultSet } from '../../src/engine/engine.ts'
import { createMemoryEngine } from '../../src/engine/memory/memory-engine.ts'
import { createPlacingEngine } from '../../src/engine/postgres/testing/placing-engine.ts'
import { createRowsEngine } from '../../src/engine/testing/rows-engine.ts'
import { citusUrl } from '../../src/snapshot/postgres/testing/citus-database.ts'
import type { Snapshot } from '../../src/snapshot/snapshot.ts'

export type ConformingEngine = {
  readonly name: string
  readonly create: () => Engine<Snapshot>
  readonly records: ResultSet['records']['kind']
  /** Whether the engine keeps what it selected, so that `remembers` becomes true. */
  readonly remembersSelections: boolean
  readonly divergences: readonly Divergence[]
}

/** Cases that the engine fails, by title, and why that is acceptable. The suite checks that it does fail them. */
type Divergence = { readonly cases: readonly string[]; readonly reason: string }

export const engines: readonly ConformingEngine[] = [
  {
    name: 'memory',
    create: () => createMemoryEngine(),
    records: 'encoded',
    remembersSelections: true,
    divergences: [],
  },
  {
    name: 'PostgreSQL',
    create: createPlacingEngine('postgres'),
    records: 'finished',
    remembersSelections: false,
    divergences: [],
  },
  ...(citusUrl === undefined
    ? []
    : [
        {
          name: 'Citus',
          create: createPlacingEngine('citus'),
          records: 'finished' as const,
          remembersSelections: false,
          divergences: [],
        },
      ]),
  {
    name: 'rows',
    create: createRowsEngine,
    records: 'rows',
    remembersSelections: false,
    divergences: [
      {
        cases: ['refuses a plan that names columns of another dataset'],
        reason: 'It reads a missing column as null. Binding has refused such names before a plan is made.',
      },
    ],
  },
]
