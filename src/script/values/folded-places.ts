/**
 * Finds the members of an object by names in any letter case, for objects that the host handed in. A name is not found when it
 * fits several members that differ only in letter case: choosing one of them would be a guess.
 */

/** Name in lower case -> place of its member; negative where several members have the name. */
export type FoldedPlaces = ReadonlyMap<string, number>

/** Longer names are data and not names of members. Folding them again and again would take time. */
const LONGEST_NAME = 64

/** An object with more members is a table; its names are data as well. */
export const MOST_FOLDED_NAMES = 1000

/** @param keys by place; `undefined` for a deleted key */
export function foldedPlaces(keys: readonly (string | undefined)[]): FoldedPlaces {
  const places = new Map<string, number>()
  for (const [place, key] of keys.entries()) {
    if (key === undefined || key.length > LONGEST_NAME) continue
    const folded = key.toLowerCase()
    places.set(folded, places.has(folded) ? -1 : place)
  }
  return places
}

/** Negative if there is no such member, or more than one. */
export const foldedPlaceOf = (places: FoldedPlaces, name: string): number =>
  name.length > LONGEST_NAME ? -1 : (places.get(name.toLowerCase()) ?? -1)
