/** For tests that watch or delay what an engine executes. */
import type { Cancellation } from '../../kernel/cancellation.ts'
import type { Engine, SnapshotRef } from '../engine.ts'

/** Wraps an engine: `before` is called and awaited before each plan. */
export const beforeExecuting = <Source extends SnapshotRef>(
  engine: Engine<Source>,
  before: (cancellation?: Cancellation) => unknown,
): Engine<Source> => ({
  ...engine,
  open: async (snapshot, clientNumber, dataset) => {
    const data = await engine.open(snapshot, clientNumber, dataset)
    return {
      ...data,
      execute: async (plan, cancellation) => {
        await before(cancellation)
        return data.execute(plan, cancellation)
      },
      aggregate: async (plan, cancellation) => {
        await before(cancellation)
        return data.aggregate(plan, cancellation)
      },
      remembers: (plan) => data.remembers(plan),
    }
  },
})
