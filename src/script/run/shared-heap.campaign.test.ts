/** Random scripts that allocate without end: the heap of their thread stays within bounds, and no run is lost. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { allocatingProgram } from '../testing/allocating-programs.ts'
import { lostInSmallHeap } from '../testing/small-heap.ts'
import { worstPrograms } from '../testing/worst-programs.ts'

const MIB = 2 ** 20
/**
 * What the product itself takes in a thread, about 10 MB, and patterns and functions of the library for a while. With more, a
 * kind of value that is counted with half of what it takes would not be noticed.
 */
const CONSTANT_MB = 40

/** A linear congruential generator, so that a seed brings a campaign back. */
function drawing(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('scripts that allocate without end', () => {
  const programs = (count: number, seed: number): readonly string[] => {
    const draw = drawing(seed)
    return Array.from({ length: count }, () => allocatingProgram(draw))
  }

  it('take one and a half times their limit at most, in the worst ways', async () => {
    const work = { programs: worstPrograms.map(([, script]) => script), atOnce: 1, memoryBytes: 32 * MIB }
    const lost = await lostInSmallHeap({ ...work, sharedBytes: 512 * MIB }, CONSTANT_MB + 1.5 * 32)
    assert.equal(lost, null)
  })

  it(`take one and a half times their limit at most, each alone (SEED=${campaignSeed})`, async () => {
    const work = { programs: programs(repeated(10, 2000), campaignSeed), atOnce: 1, memoryBytes: 32 * MIB }
    const lost = await lostInSmallHeap({ ...work, sharedBytes: 512 * MIB }, CONSTANT_MB + 1.5 * 32)
    assert.equal(lost, null)
  })

  it(`leave the thread and its other runs alone, several at a time (SEED=${campaignSeed})`, async () => {
    const work = {
      programs: programs(repeated(24, 2000), campaignSeed + 1),
      atOnce: 6,
      memoryBytes: 32 * MIB,
    }
    const lost = await lostInSmallHeap({ ...work, sharedBytes: 64 * MIB }, CONSTANT_MB + 1.5 * 64)
    assert.equal(lost, null)
  })
})
