/** Forms of OData and of other languages that the grammar does not have, and what to write here. */
import { quoted } from '../problems.ts'
import { operatorNames } from './keywords.ts'

/** Words from the start of a text: a label such as `Cost Centre`, written without quotes. */
const WORDS = /^[\p{L}\p{N}_]+(?:[ \t]+[\p{L}\p{N}_]+){1,5}/u
const BEFORE_OPERATOR = new RegExp(
  `^([\\p{L}\\p{N}_]+(?:[ \\t]+[\\p{L}\\p{N}_]+){1,5}?)[ \\t]+(?:${operatorNames.join('|')})\\b`,
  'iu',
)
const OPERATOR_NEXT = new RegExp(`^\\s*(?:${operatorNames.join('|')})\\b`, 'i')
const LONGEST_START = 200

/** `Cost Centre eq 'X1'`: `written` begins with the first word. */
export const adviceForLabelInFilter = (written: string): string | undefined =>
  adviceForLabel(BEFORE_OPERATOR.exec(startOf(written))?.[1])

/** `$select=Cost Centre`, `$orderby=Cost Centre desc`, `groupby((Cost Centre as centre))` */
export const adviceForLabelInList = (written: string): string | undefined =>
  adviceForLabel(WORDS.exec(startOf(written))?.[0].replace(/[ \t]+(?:asc|desc|as)\b.*/i, ''))

const startOf = (written: string): string =>
  written.slice(0, LONGEST_START).replace(/^customDataFields\./i, '')

const adviceForLabel = (label: string | undefined): string | undefined =>
  label === undefined ? undefined : `if it is a label, write customDataFields['${label}']`

/** `'Cost Centre' eq 'X1'`, `contains('lee', traveller)`, or `... or 'TAX'` after a comparison; `rest` follows the text. */
export function adviceForTextAsField(text: string, rest: string, isCondition: boolean): string {
  if (/^\s*,/.test(rest) && isCondition) return 'write the field first, and then the text'
  if (isCondition && !OPERATOR_NEXT.test(rest)) return EACH_NAMES_ITS_FIELD
  return `a label is written customDataFields[${quoted(text.replaceAll("'", "''"))}]`
}

const EACH_NAMES_ITS_FIELD =
  'each condition names its field, as in a eq 1 or a eq 2; a in (1, 2) means the same'

/** Functions of OData and SQL around a field. */
export const adviceForFunction = (name: string): string | undefined => functions.get(name.toLowerCase())

const functions: ReadonlyMap<string, string> = new Map(
  (
    [
      [
        'tolower toupper lower upper',
        'write the field alone: texts are compared without regard to letter case',
      ],
      ['year month day', "write startswith with the field and '2026' or '2026-01', or compare it with dates"],
      ['date', "write the field alone, and compare it with a date such as '2026-01-31'"],
      ['substringof substring indexof includes matchespattern like', "write contains(field, 'text')"],
      ['isnull', 'write eq null after the field'],
      ['exists', 'write any with a collection'],
    ] as const
  ).flatMap(([names, advice]) => names.split(' ').map((name): [string, string] => [name, advice])),
)

/** `bookingDate ge today()`, `isTicketed eq yes`; `rest` follows the name. */
export function adviceForValue(name: string, rest: string): string | undefined {
  if (/^\s*\(/.test(rest)) return "nothing is calculated here; write the value itself, such as '2026-01-31'"
  const truth = truths.get(name.toLowerCase())
  return truth === undefined ? undefined : `write ${truth}`
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['y', true],
  ['t', true],
  ['no', false],
  ['n', false],
  ['f', false],
])

/** `lineItems/any(l: l/lineType eq 'FARE')`; `written` begins with the slash. */
export function adviceForLambda(collection: string, written: string): string | undefined {
  const quantifier = /^\/\s*(any|all)\s*\(/i.exec(written)?.[1]?.toLowerCase()
  return quantifier && `write ${quantifier}(${collection}, ...), where fields of the element have bare names`
}
