/**
 * Joins the folded texts of a dictionary into a few long strings, so that one native search covers thousands of texts. Joined
 * once per dictionary, at its first `contains` or `endswith`.
 */
import { fold } from '../../../kernel/text.ts'
import type { Dictionary } from '../../../snapshot/partition.ts'
import { KeptWork } from '../kept-work.ts'
import { addRange, type Ranges } from '../ranges.ts'
import type { Work } from '../work.ts'

type FoldedBlock = {
  readonly firstCode: number
  readonly joined: string
  /** Where each text of the block ends; a line feed separates two texts. */
  readonly ends: Int32Array
}

const TEXTS_PER_BLOCK = 1 << 12

const kept = new KeptWork<Dictionary, readonly FoldedBlock[]>()

/** Cost of searching one text, in rows scanned. */
export const SEARCHED = 8

/** The codes whose folded text contains the part, which is not empty. */
export function* codesContaining(dictionary: Dictionary, part: string): Work<Ranges> {
  const codes: number[] = []
  for (const block of yield* foldedBlocks(dictionary)) {
    yield SEARCHED * block.ends.length
    searchBlock(block, part, codes)
  }
  return codes
}

/** The codes whose folded text ends with the part, which is not empty. */
export function* codesEndingWith(dictionary: Dictionary, part: string): Work<Ranges> {
  const codes: number[] = []
  for (const { firstCode, joined, ends } of yield* foldedBlocks(dictionary)) {
    yield SEARCHED * ends.length
    for (let i = 0; i < ends.length; i++) {
      const begin = i === 0 ? 0 : ends[i - 1]! + 1
      const at = ends[i]! - part.length
      if (at >= begin && joined.startsWith(part, at)) addRange(codes, firstCode + i, firstCode + i)
    }
  }
  return codes
}

/** The part may contain line feeds, so a hit may reach over the end of its text; such a hit does not count. */
function searchBlock({ firstCode, joined, ends }: FoldedBlock, part: string, codes: number[]): void {
  let text = 0
  for (let at = joined.indexOf(part); at >= 0; ) {
    while (ends[text]! < at) text++
    const end = ends[text]!
    const hit = at + part.length <= end
    if (hit) addRange(codes, firstCode + text, firstCode + text)
    at = joined.indexOf(part, hit ? end : at + 1)
  }
}

const foldedBlocks = (dictionary: Dictionary): Work<readonly FoldedBlock[]> =>
  kept.get(dictionary, () => joinBlocks(dictionary))

function* joinBlocks(dictionary: Dictionary): Work<readonly FoldedBlock[]> {
  const blocks: FoldedBlock[] = []
  for (let firstCode = 0; firstCode < dictionary.size; firstCode += TEXTS_PER_BLOCK) {
    blocks.push(joinBlock(dictionary, firstCode, Math.min(dictionary.size, firstCode + TEXTS_PER_BLOCK)))
    yield
  }
  return blocks
}

/** Folding works letter by letter, so a whole block can be folded at once unless the length of a letter changes. */
function joinBlock(dictionary: Dictionary, firstCode: number, endCode: number): FoldedBlock {
  const texts = new Array<string>(endCode - firstCode)
  for (let i = 0; i < texts.length; i++) texts[i] = dictionary.text(firstCode + i)
  const raw = texts.join('\n')
  const joined = fold(raw)
  return { firstCode, joined, ends: endsOf(joined.length === raw.length ? texts : texts.map(fold)) }
}

function endsOf(texts: readonly string[]): Int32Array {
  const ends = new Int32Array(texts.length)
  let end = -1
  for (let i = 0; i < texts.length; i++) ends[i] = end += 1 + texts[i]!.length
  return ends
}
