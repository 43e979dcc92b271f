/** Random scripts that allocate without end: the heap of their thread stays within bounds, and no run is lost. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { allocatingProgram } from '../testing/allocating-programs.ts'
import { lostInSmallHeap } from '../testing/small-heap.ts'

const MIB = 2 ** 20
/** What the product itself and the collector take in a thread. */
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

  const worst: readonly (readonly [what: string, script: string])[] = [
    ['equal texts', 'var l = [] while true do l.add(PadRight("x", 1000000, "€")) end'],
    ['slices', 'var l = [] while true do l.add(Substring(PadRight("x", 1000000, "€"), 0, 125001)) end'],
    ['pieces', 'var l = [] while true do l.add(Split(PadRight("x,", 1000000, "€"), ",")[1]) end'],
    ['captured texts', 'var l = [] while true do var s = PadRight("x", 100000, "€") l.add(x => s) end'],
    ['equal JSON', 'var l = [] while true do l.add(ToJson({"a": PadRight("x", 100000, "y")})) end'],
    ['concatenated texts', 'var l = [] var s = PadRight("x", 100000, "€") while true do l.add(s + "y") end'],
    [
      'objects with keys of their own',
      'var l = [] var i = 0 while true do i = i + 1 var o = {} o["k" + i] = i l.add(o) end',
    ],
    [
      'fractions beside others',
      'var d = Range(0.5, 100000) var l = [] while true do l.add(Append(d, "x")) end',
    ],
    ['fractions inserted', 'var d = Range(0.5, 100000) var l = [] while true do l.add(Insert(d, 0, {})) end'],
    ['negative zeros', 'var l = [{}] var z = 0 while true do l.add(z * -1) end'],
    ['characters', 'var s = PadRight("", 10, "€") var l = [] while true do l.add(s[1]) end'],
    [
      'characters of a loop',
      'var s = PadRight("", 900000, "€") var l = [] while true do foreach c in s do l.add(c) end end',
    ],
    ['parts to join', 'var a = Range(10000, 1700000) while true do var t = Join(a, "") end'],
    ['small appended arrays', 'var l = [] while true do l.add(Append([], 1)) end'],
    [
      'wide texts beside narrow ones',
      `var n = PadRight("a", 40, "x") var k = [n] var s = "${'€'.repeat(40)}" for i in 0 to 14 do s = s + s end var l = [] while true do var t = s + "y" var c = t[0] l.add(t) end`,
    ],
    [
      'numbers in places',
      'var l = Range(1, 1000000) for i in 0 to 1000000 do l[i] = i + 0.5 end while true do l.add(0.5) end',
    ],
  ]

  it('take one and a half times their limit at most, in the worst ways', async () => {
    const work = { programs: worst.map(([, script]) => script), atOnce: 1, memoryBytes: 32 * MIB }
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
