/**
 * The units that `(?i)` treats as equal, as .NET does with the invariant culture: those with the same lower case by the simple
 * mapping. Unicode's case folding equates more: the Kelvin sign with k (here too), but also the long s with s (not here).
 */

import { toLower } from '../text/case.ts'
import { LAST_UNIT, type UnitSet, unite } from './units.ts'

/** Adds all units to a set that differ from one of its units by case only. */
export function withOtherCases(set: UnitSet): UnitSet {
  const alike = unitsByCase()
  const added: UnitSet[] = []
  for (let i = 0; i < set.length; i += 2) {
    for (let unit = set[i] as number; unit <= (set[i + 1] as number); unit++) {
      const others = alike.get(unit)
      if (others !== undefined) added.push(others)
    }
  }
  return added.length === 0 ? set : unite(set, ...added)
}

let known: ReadonlyMap<number, UnitSet> | null = null

/** For each unit with other cases: those cases and the unit itself. */
function unitsByCase(): ReadonlyMap<number, UnitSet> {
  if (known !== null) return known
  const byLower = new Map<number, number[]>()
  for (let unit = 0; unit <= LAST_UNIT; unit++) {
    const lower = toLower(String.fromCharCode(unit)).charCodeAt(0)
    if (lower === unit) continue
    const alike = byLower.get(lower)
    if (alike === undefined) byLower.set(lower, [lower, unit])
    else alike.push(unit)
  }
  const all = new Map<number, UnitSet>()
  for (const units of byLower.values()) {
    const set = unite(...units.map((unit) => [unit, unit]))
    for (const unit of units) all.set(unit, set)
  }
  known = all
  return known
}
