import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { countedWork } from '../testing/work.ts'
import { done } from '../work.ts'
import { countsOf } from './aggregates.ts'
import type { Codes } from './dimension-codes.ts'
import type { Grouping } from './group-numbers.ts'
import { orderGroups } from './group-order.ts'

const MOST_GROUPS = 60

const limit = fc.constantFrom(3, 40, 2 ** 31 - 1)

/**
 * A dimension by place of the groups. Its ranks are turned where it says so, so that they contradict the codes, and then they
 * exceed the codes, like those of texts with several spellings.
 */
const dimension = limit.chain((most) =>
  fc.record({
    limit: fc.constant(most),
    own: fc.array(fc.oneof(fc.nat(2), fc.nat(most - 1), fc.constant(most - 1)), {
      minLength: MOST_GROUPS,
      maxLength: MOST_GROUPS,
    }),
    isTurned: most <= 40 ? fc.boolean() : fc.constant(false),
  }),
)
const terms = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 1 })

it('orders groups by dimensions and aggregates, in either direction', () => {
  fc.assert(
    fc.property(
      fc.nat(MOST_GROUPS),
      fc.tuple(dimension, dimension, dimension),
      fc.array(fc.nat(3), { minLength: MOST_GROUPS, maxLength: MOST_GROUPS }),
      terms,
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      (groups, dimensions, counts, members, descending) => {
        const orderBy = members.map((member, i) => ({ member, descending: descending[i] === true }))
        const codes = dimensions.map(
          ({ limit: most, isTurned }): Codes => ({
            source: { kind: 'codes', codes: new Int32Array(0), isScratch: false, rows: null, map: null },
            limit: most,
            nullCode: most - 1,
            shownAt: (code) => code,
            ranks: () =>
              done(isTurned ? Int32Array.from({ length: most }, (_, code) => 7 * (most - code)) : null),
          }),
        )
        const grouping: Grouping = {
          numbers: new Int32Array(0),
          isScratch: false,
          limit: groups,
          occurring: Int32Array.from({ length: groups }, (_, group) => group),
          counts: Int32Array.from(counts.slice(0, groups)),
          codes: dimensions.map(({ own }) => Int32Array.from(own.slice(0, groups))),
        }
        const rankOf = (place: number, member: number): number => {
          const of = dimensions[member]
          if (of === undefined) return counts[place] as number
          return (of.isTurned ? -1 : 1) * (of.own[place] as number)
        }
        const expected = Array.from({ length: groups }, (_, place) => place).sort((a, b) => {
          for (const { member, descending: isDown } of orderBy) {
            const difference = rankOf(a, member) - rankOf(b, member)
            if (difference !== 0) return isDown ? -difference : difference
          }
          return a - b
        })
        const aggregates = [countsOf(grouping.counts)]
        const found = countedWork(orderGroups({ orderBy }, codes, aggregates, grouping)).value
        assert.deepEqual(Array.from(found), expected)
      },
    ),
    { numRuns: 300 },
  )
})
