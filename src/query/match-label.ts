/**
 * Finds the labels of a client that a written one can mean. Word processors and phones replace quotes, dashes and blanks by
 * typographic ones, which look like those of the label; such a label is still found, after an exact match and after one in
 * another letter case.
 */
import { closestNames } from '../kernel/closest.ts'
import { fold } from '../kernel/text.ts'
import { matchName } from './match-name.ts'

/** None: unknown. Several: ambiguous. The list is indexed once, so it must not change afterwards. */
export function matchLabel(written: string, labels: readonly string[]): readonly string[] {
  const matches = matchName(written, labels)
  return matches.length > 0 ? matches : (indexOf(labels).get(plain(written)) ?? [])
}

/** At most this many labels are proposed. */
const MOST_PROPOSALS = 3

/** The labels that may have been meant by an unknown one: nearly the same text, else a text that contains it. */
export function similarLabels(written: string, labels: readonly string[]): readonly string[] {
  const byPlain = indexOf(labels)
  const near = closestNames(plain(written), byPlain.keys(), MOST_PROPOSALS)
  return (near.length > 0 ? near : containing(plain(written), byPlain.keys()))
    .flatMap((name) => byPlain.get(name) ?? [])
    .slice(0, MOST_PROPOSALS)
}

/** A word of two letters is part of too many labels. */
const SHORTEST_PART = 3

const containing = (part: string, names: Iterable<string>): readonly string[] =>
  part.length < SHORTEST_PART ? [] : [...names].filter((name) => name.includes(part))

const indexes = new WeakMap<readonly string[], ReadonlyMap<string, readonly string[]>>()

function indexOf(labels: readonly string[]): ReadonlyMap<string, readonly string[]> {
  let index = indexes.get(labels)
  if (index === undefined) {
    index = Map.groupBy(labels, plain)
    indexes.set(labels, index)
  }
  return index
}

/** A text without letter case, with the quotes, dashes and blanks of a keyboard, and with composed letters. */
function plain(text: string): string {
  return fold(text.normalize('NFC'))
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(DASHES, '-')
    .replace(BLANKS, ' ')
}

/** Single quotation marks, prime, the modifier letter apostrophe, grave and acute accent. */
const SINGLE_QUOTES = /[\u2018-\u201b\u2032\u02bc\u2039\u203a\uff07\u0060\u00b4]/g
const DOUBLE_QUOTES = /[\u201c-\u201f\u2033\u00ab\u00bb\uff02]/g
/** Hyphens, en dash, em dash, horizontal bar, minus sign and their small and wide forms. */
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g
/** Spaces of other widths, and those that forbid a line break. */
const BLANKS = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g
