/**
 * Translates a pattern of ECMA-262 (with flag `u`, and with what browsers allow without it) into the syntax of RE2. Where the
 * two differ, the pattern is rewritten or refused, so that it never matches differently.
 *
 *     pattern = { group start | class | escape | quantifier | character }
 *     class   = "[" [ "^" ] { atom | atom "-" atom } "]"
 */

/** The reason why a pattern cannot be translated. */
export class PatternFault extends Error {
  override readonly name: string = 'PatternFault'
}

type Cursor = { readonly pattern: string; at: number }

export function translatePattern(pattern: string): string {
  const cursor = { pattern, at: 0 }
  const written: string[] = []
  while (cursor.at < pattern.length) written.push(translateNext(cursor))
  return written.join('')
}

function translateNext(cursor: Cursor): string {
  const { pattern, at } = cursor
  switch (pattern[at]) {
    case '\\':
      return translateEscape(cursor)
    case '[':
      return translateClass(cursor)
    case '(':
      return translateGroup(cursor)
    case '.':
      cursor.at++
      return ANY_BUT_LINE_ENDS
    case '{':
      return take(cursor, /\{\d+(?:,\d*)?\}\??/y) ?? literal(cursor)
    case '}':
    case ']':
      return literal(cursor)
  }
  return take(cursor, /[*+?^$|)]/y) ?? literal(cursor)
}

/** Consumes and returns what the expression matches at the cursor. */
function take(cursor: Cursor, expression: RegExp): string | null {
  expression.lastIndex = cursor.at
  const match = expression.exec(cursor.pattern)
  if (match === null) return null
  cursor.at += match[0].length
  return match[0]
}

function literal(cursor: Cursor): string {
  return codePoint(takeCodePoint(cursor))
}

function takeCodePoint(cursor: Cursor): number {
  const code = cursor.pattern.codePointAt(cursor.at)
  if (code === undefined) throw new PatternFault('it ends too early')
  cursor.at += code > 0xffff ? 2 : 1
  return code
}

const codePoint = (code: number): string => `\\x{${code.toString(16)}}`

/** `(`, `(?:`, `(?<name>`, `(?<=`, `(?<!`, `(?i)`, `(?i:`. Groups are never read, so they need no names and no numbers. */
function translateGroup(cursor: Cursor): string {
  const named = take(cursor, /\(\?<[\p{ID_Start}$_][\p{ID_Continue}$]*>/uy)
  if (named !== null) return '(?:'
  const known = take(cursor, /\(\?(?::|<=|<!|-?i[:)])/y)
  if (known !== null) return known
  if (cursor.pattern.startsWith('(?', cursor.at)) throw new PatternFault('it looks ahead')
  cursor.at++
  return '(?:'
}

function translateEscape(cursor: Cursor): string {
  const edge = take(cursor, /\\[bB]/y)
  if (edge !== null) return edge
  const set = takeSet(cursor)
  return set === null ? codePoint(takeEscapedCharacter(cursor)) : `[${set}]`
}

function translateClass(cursor: Cursor): string {
  const negated = take(cursor, /\[\^?/y) === '[^'
  const members: string[] = []
  while (take(cursor, /\]/y) === null) members.push(translateMember(cursor))
  if (members.length > 0) return `[${negated ? '^' : ''}${members.join('')}]`
  return negated ? `[${EVERYTHING}]` : `[^${EVERYTHING}]`
}

const EVERYTHING = '\\x{0}-\\x{10ffff}'

/** A minus sign next to a set of characters is a plain character. */
function translateMember(cursor: Cursor): string {
  const first = takeSet(cursor) ?? takeClassCharacter(cursor)
  if (take(cursor, /-(?!\])/y) === null) return typeof first === 'string' ? first : codePoint(first)
  const last = takeSet(cursor) ?? takeClassCharacter(cursor)
  const [from, to] = [first, last].map((end) => (typeof end === 'string' ? end : codePoint(end)))
  const isRange = typeof first === 'number' && typeof last === 'number'
  return isRange ? `${from}-${to}` : `${from}\\x{2d}${to}`
}

function takeClassCharacter(cursor: Cursor): number {
  if (take(cursor, /\\b/y) !== null) return 0x08
  return cursor.pattern[cursor.at] === '\\' ? takeEscapedCharacter(cursor) : takeCodePoint(cursor)
}

const SPACES =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'

const NO_SPACES =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'

const ANY_BUT_LINE_ENDS = '[^\\n\\r\\x{2028}\\x{2029}]'

/** Reads `\d`, `\s`, `\w` and `\p{...}` in the form for a class; null for anything else. */
function takeSet(cursor: Cursor): string | null {
  const short = take(cursor, /\\[dDwWsS]/y)
  if (short !== null) return short === '\\s' ? SPACES : short === '\\S' ? NO_SPACES : short
  const property = take(cursor, /\\[pP]\{[\w=]+\}/y)
  return property === null ? null : `${property.slice(0, 2)}{${propertyName(property.slice(3, -1))}}`
}

function propertyName(given: string): string {
  const [name = '', value] = given.split('=')
  if (value === undefined) return generalCategories.get(name) ?? knownCategory(name)
  if (name === 'General_Category' || name === 'gc')
    return generalCategories.get(value) ?? knownCategory(value)
  // RE2 names scripts like categories; its categories have short names, so they cannot be confused.
  if ((name === 'Script' || name === 'sc') && value.length > 2) return value
  throw new PatternFault('it names an unknown property of characters')
}

function knownCategory(name: string): string {
  if (!shortCategories.has(name)) throw new PatternFault('it names an unknown property of characters')
  return name
}

const generalCategories: ReadonlyMap<string, string> = new Map([
  ['Letter', 'L'],
  ['Uppercase_Letter', 'Lu'],
  ['Lowercase_Letter', 'Ll'],
  ['Titlecase_Letter', 'Lt'],
  ['Modifier_Letter', 'Lm'],
  ['Other_Letter', 'Lo'],
  ['Mark', 'M'],
  ['Nonspacing_Mark', 'Mn'],
  ['Spacing_Mark', 'Mc'],
  ['Enclosing_Mark', 'Me'],
  ['Number', 'N'],
  ['Decimal_Number', 'Nd'],
  ['digit', 'Nd'],
  ['Letter_Number', 'Nl'],
  ['Other_Number', 'No'],
  ['Punctuation', 'P'],
  ['punct', 'P'],
  ['Connector_Punctuation', 'Pc'],
  ['Dash_Punctuation', 'Pd'],
  ['Open_Punctuation', 'Ps'],
  ['Close_Punctuation', 'Pe'],
  ['Initial_Punctuation', 'Pi'],
  ['Final_Punctuation', 'Pf'],
  ['Other_Punctuation', 'Po'],
  ['Symbol', 'S'],
  ['Math_Symbol', 'Sm'],
  ['Currency_Symbol', 'Sc'],
  ['Modifier_Symbol', 'Sk'],
  ['Other_Symbol', 'So'],
  ['Separator', 'Z'],
  ['Space_Separator', 'Zs'],
  ['Line_Separator', 'Zl'],
  ['Paragraph_Separator', 'Zp'],
])

const shortCategories: ReadonlySet<string> = new Set([...generalCategories.values(), 'Cc', 'Cf', 'Any'])

const controls: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
])

/** The character that an escape means. Refuses other letters and digits, because elsewhere they have a meaning. */
function takeEscapedCharacter(cursor: Cursor): number {
  const hex = take(cursor, /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]{1,6}\})/y)
  if (hex !== null) return joined(cursor, Number.parseInt(hex.replace(/[{}]/g, '').slice(2), 16))
  const control = take(cursor, /\\c[A-Za-z]/y)
  if (control !== null) return control.charCodeAt(2) % 32
  if (take(cursor, /\\0(?!\d)/y) !== null) return 0
  cursor.at++
  const code = takeCodePoint(cursor)
  const character = String.fromCodePoint(code)
  const known = controls.get(character)
  if (known !== undefined) return known
  if (/[1-9k]/.test(character)) throw new PatternFault('it refers back to a group')
  if (/[\w]/.test(character) && character !== '_')
    throw new PatternFault(`it has an unknown escape \\${character}`)
  return code
}

/** Two escapes in a row can be the two halves of one character. */
function joined(cursor: Cursor, code: number): number {
  if (code > 0x10ffff) throw new PatternFault('it has an escape beyond all characters')
  if (code < 0xd800 || code > 0xdbff) return code
  const low = take(cursor, /\\u[dD][c-fC-F][\da-fA-F]{2}/y)
  if (low === null) return code
  return 0x10000 + ((code - 0xd800) << 10) + (Number.parseInt(low.slice(2), 16) - 0xdc00)
}
