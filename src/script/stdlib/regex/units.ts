/** Sets of UTF-16 units: the first and last unit of each range, in order, without overlaps. */

export type UnitSet = readonly number[]

export const LAST_UNIT = 0xffff
export const everyUnit: UnitSet = [0, LAST_UNIT]

export function unite(...sets: readonly UnitSet[]): UnitSet {
  const ranges: [from: number, to: number][] = []
  for (const set of sets) {
    for (let i = 0; i < set.length; i += 2) ranges.push([set[i] as number, set[i + 1] as number])
  }
  ranges.sort(([a], [b]) => a - b)
  const united: number[] = []
  for (const [from, to] of ranges) {
    const last = united.length - 1
    if (last > 0 && from <= (united[last] as number) + 1) {
      united[last] = Math.max(united[last] as number, to)
    } else united.push(from, to)
  }
  return united
}

export function complement(set: UnitSet): UnitSet {
  const rest: number[] = []
  let next = 0
  for (let i = 0; i < set.length; i += 2) {
    if ((set[i] as number) > next) rest.push(next, (set[i] as number) - 1)
    next = (set[i + 1] as number) + 1
  }
  if (next <= LAST_UNIT) rest.push(next, LAST_UNIT)
  return rest
}

const complements = new WeakMap<UnitSet, UnitSet>()

/** Caches the complements of sets that are used again and again. */
export function keptComplement(set: UnitSet): UnitSet {
  let rest = complements.get(set)
  if (rest === undefined) complements.set(set, (rest = complement(set)))
  return rest
}

export const without = (set: UnitSet, removed: UnitSet): UnitSet =>
  complement(unite(complement(set), removed))

export function hasUnit(set: UnitSet, unit: number): boolean {
  for (let i = 0; i < set.length && (set[i] as number) <= unit; i += 2) {
    if (unit <= (set[i + 1] as number)) return true
  }
  return false
}

/** The number of units in a set. */
export function sizeOf(set: UnitSet): number {
  let size = 0
  for (let i = 0; i < set.length; i += 2) size += (set[i + 1] as number) - (set[i] as number) + 1
  return size
}

/** All units that meet a condition. */
export function unitsWhere(holds: (unit: number) => boolean): UnitSet {
  const found: number[] = []
  for (let unit = 0; unit <= LAST_UNIT; unit++) {
    if (!holds(unit)) continue
    if (found.length > 0 && found[found.length - 1] === unit - 1) found[found.length - 1] = unit
    else found.push(unit, unit)
  }
  return found
}
