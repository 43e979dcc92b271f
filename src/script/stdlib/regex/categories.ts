/** Named sets of units, as patterns write them: `\w`, `\d`, `\s`, `\p{Lu}`, `\p{IsCyrillic}`. */

import { isWhite } from '../text/white-space.ts'
import { type UnitSet, unite, unitsWhere } from './units.ts'

/** The general categories of Unicode. A surrogate has category Cs, because patterns match units and not characters. */
const categories = new Map<string, RegExp>([
  ['L', /\p{L}/u],
  ['Lu', /\p{Lu}/u],
  ['Ll', /\p{Ll}/u],
  ['Lt', /\p{Lt}/u],
  ['Lm', /\p{Lm}/u],
  ['Lo', /\p{Lo}/u],
  ['M', /\p{M}/u],
  ['Mn', /\p{Mn}/u],
  ['Mc', /\p{Mc}/u],
  ['Me', /\p{Me}/u],
  ['N', /\p{N}/u],
  ['Nd', /\p{Nd}/u],
  ['Nl', /\p{Nl}/u],
  ['No', /\p{No}/u],
  ['P', /\p{P}/u],
  ['Pc', /\p{Pc}/u],
  ['Pd', /\p{Pd}/u],
  ['Ps', /\p{Ps}/u],
  ['Pe', /\p{Pe}/u],
  ['Pi', /\p{Pi}/u],
  ['Pf', /\p{Pf}/u],
  ['Po', /\p{Po}/u],
  ['S', /\p{S}/u],
  ['Sm', /\p{Sm}/u],
  ['Sc', /\p{Sc}/u],
  ['Sk', /\p{Sk}/u],
  ['So', /\p{So}/u],
  ['Z', /\p{Z}/u],
  ['Zs', /\p{Zs}/u],
  ['Zl', /\p{Zl}/u],
  ['Zp', /\p{Zp}/u],
  ['C', /\p{C}/u],
  ['Cc', /\p{Cc}/u],
  ['Cf', /\p{Cf}/u],
  ['Cs', /\p{Cs}/u],
  ['Co', /\p{Co}/u],
  ['Cn', /\p{Cn}/u],
])

/** Blocks under their .NET names: the writing systems that people are likely to search for. */
const blocks = new Map<string, UnitSet>([
  ['IsBasicLatin', [0x0000, 0x007f]],
  ['IsLatin-1Supplement', [0x0080, 0x00ff]],
  ['IsLatinExtended-A', [0x0100, 0x017f]],
  ['IsLatinExtended-B', [0x0180, 0x024f]],
  ['IsIPAExtensions', [0x0250, 0x02af]],
  ['IsSpacingModifierLetters', [0x02b0, 0x02ff]],
  ['IsCombiningDiacriticalMarks', [0x0300, 0x036f]],
  ['IsGreek', [0x0370, 0x03ff]],
  ['IsGreekandCoptic', [0x0370, 0x03ff]],
  ['IsCyrillic', [0x0400, 0x04ff]],
  ['IsCyrillicSupplement', [0x0500, 0x052f]],
  ['IsArmenian', [0x0530, 0x058f]],
  ['IsHebrew', [0x0590, 0x05ff]],
  ['IsArabic', [0x0600, 0x06ff]],
  ['IsDevanagari', [0x0900, 0x097f]],
  ['IsThai', [0x0e00, 0x0e7f]],
  ['IsGeorgian', [0x10a0, 0x10ff]],
  ['IsHangulJamo', [0x1100, 0x11ff]],
  ['IsLatinExtendedAdditional', [0x1e00, 0x1eff]],
  ['IsGreekExtended', [0x1f00, 0x1fff]],
  ['IsGeneralPunctuation', [0x2000, 0x206f]],
  ['IsSuperscriptsandSubscripts', [0x2070, 0x209f]],
  ['IsCurrencySymbols', [0x20a0, 0x20cf]],
  ['IsLetterlikeSymbols', [0x2100, 0x214f]],
  ['IsNumberForms', [0x2150, 0x218f]],
  ['IsArrows', [0x2190, 0x21ff]],
  ['IsMathematicalOperators', [0x2200, 0x22ff]],
  ['IsBoxDrawing', [0x2500, 0x257f]],
  ['IsMiscellaneousSymbols', [0x2600, 0x26ff]],
  ['IsDingbats', [0x2700, 0x27bf]],
  ['IsCJKSymbolsandPunctuation', [0x3000, 0x303f]],
  ['IsHiragana', [0x3040, 0x309f]],
  ['IsKatakana', [0x30a0, 0x30ff]],
  ['IsCJKUnifiedIdeographs', [0x4e00, 0x9fff]],
  ['IsHangulSyllables', [0xac00, 0xd7af]],
  ['IsPrivateUse', [0xe000, 0xf8ff]],
  ['IsCJKCompatibilityIdeographs', [0xf900, 0xfaff]],
])

const found = new Map<string, UnitSet>()

/** The units of a category or block; null for any other name. */
export function namedUnits(name: string): UnitSet | null {
  const block = blocks.get(name)
  if (block !== undefined) return block
  const category = categories.get(name)
  return category === undefined
    ? null
    : once(name, () => unitsWhere((unit) => category.test(String.fromCharCode(unit))))
}

const category = (name: string): UnitSet => namedUnits(name) as UnitSet

export const digitUnits = (): UnitSet => category('Nd')

export const whiteUnits = (): UnitSet => once('white', () => unitsWhere(isWhite))

export const wordUnits = (): UnitSet =>
  once('word', () => unite(category('L'), category('Mn'), category('Nd'), category('Pc')))

/** The two joiners belong to words for `\b` but not for `\w`. */
export const boundaryWordUnits = (): UnitSet => once('boundary', () => unite(wordUnits(), [0x200c, 0x200d]))

function once(name: string, make: () => UnitSet): UnitSet {
  let units = found.get(name)
  if (units === undefined) found.set(name, (units = make()))
  return units
}
