/**
 * Masks the fields that an endpoint declares: members of JSON by name or by path, also of JSON that a string or a parameter holds,
 * parameters, headers, elements of XML, and `name=value` or `"name": "value"` in other texts. Reads JSON that was cut as far as it
 * goes, and leaves the rest of a text as it is written.
 */
import { REDACTED } from './credential-names.ts'

export type MaskedFields = {
  readonly isField: (name: string) => boolean
  readonly json: (body: string) => string
  readonly form: (form: string) => string
  readonly text: (text: string) => string
  /** The values of the fields in a text, JSON or not, without what encloses them. */
  readonly valuesIn: (body: string) => readonly string[]
}

type Step = string | number
/** The steps to a member; `*` stands for every item of an array. */
type Path = readonly Step[]

/** @param fields names such as `passport`, and paths such as `$.travellers[*].passport` */
export function createMaskedFields(fields: readonly string[]): MaskedFields {
  const paths = fields.filter((field) => field.startsWith('$')).map(stepsOf)
  const names = new Set(fields.filter((field) => !field.startsWith('$')).map(folded))
  const lastNames = paths.map((path) => path.findLast((step) => typeof step === 'string' && step !== '*'))
  const isNamed = namedValue([...names, ...lastNames.filter((name) => name !== undefined)] as string[])
  const isElement = namedElement([...names])
  const isField = (path: Path): boolean => {
    const last = path.at(-1)
    return (typeof last === 'string' && names.has(last)) || paths.some((field) => isAt(field, path))
  }
  // `passport`, `traveller[passport]` and `traveller.passport`
  const isParameter = (name: string) =>
    isField(
      folded(name)
        .split(/[.[\]]+/)
        .filter((step) => step !== ''),
    )
  const json = (body: string): string => {
    let rest = ''
    let copied = 0
    for (const { start, end, inner } of valueRanges(body, isField)) {
      const masked = inner === null ? REDACTED : json(inner)
      if (masked === inner) continue
      rest += body.slice(copied, start) + JSON.stringify(masked)
      copied = end
    }
    return rest + body.slice(copied)
  }
  const valuesIn = (body: string): string[] =>
    isLikeJson(body)
      ? [...valueRanges(body, isField)].flatMap(({ start, end, inner }) =>
          inner === null ? leavesOf(body.slice(start, end)) : valuesIn(inner),
        )
      : [isNamed, isElement].flatMap((pattern) =>
          [...body.matchAll(pattern)].map(([found, start = '']) => found.slice(start.length)),
        )
  const parameter = (given: string): string => {
    const sign = given.indexOf('=')
    if (sign < 0) return given
    const name = decoded(given.slice(0, sign).replace(/^\?/, ''))
    const value = decoded(given.slice(sign + 1))
    const masked = isParameter(name) ? REDACTED : isLikeJson(value) ? json(value) : value
    if (masked === value) return given
    return given.slice(0, sign + 1) + (masked === REDACTED ? REDACTED : encodeURIComponent(masked))
  }
  return {
    isField: isParameter,
    json,
    form: (form) => form.split('&').map(parameter).join('&'),
    text: (text) => text.replace(isNamed, hidden).replace(isElement, hidden),
    valuesIn,
  }
}

const hidden = (_: string, start: string): string => start + REDACTED

/** Also of a body that was cut. */
export const isLikeJson = (body: string): boolean => /^\s*[[{"]/.test(body)

const folded = (name: string): string => name.toLowerCase()

const stepsOf = (field: string): Path =>
  [...field.matchAll(/\.([^.[\]]+)|\[(\*|\d+)\]/g)].map(([, name, index]) => {
    if (name !== undefined) return folded(name)
    return index === '*' ? '*' : Number(index)
  })

const isAt = (field: Path, path: Path): boolean =>
  field.length === path.length &&
  field.every((step, nth) => step === path[nth] || (step === '*' && typeof path[nth] === 'number'))

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

/** `passport=X1`, `passport: X1` and `\"passport\": \"X1\"`. The first group ends where the value begins. */
function namedValue(names: readonly string[]): RegExp {
  if (names.length === 0) return /(?!)/
  const words = names.map(escaped).join('|')
  const name = `(?<![\\p{L}\\p{N}_])(?:${words})(?![\\p{L}\\p{N}_])`
  const value = `(?<=["'])[^"'\\\\]+|[^\\s"',;&<>()[\\]{}\\\\]+`
  return new RegExp(`(${name}\\\\{0,5}["']?\\s{0,10}[:=]\\s{0,10}\\\\{0,5}["']?)(?:${value})`, 'giu')
}

/** `<passport>X1</passport>`, also with a prefix and attributes. The first group ends where the value begins. */
function namedElement(names: readonly string[]): RegExp {
  if (names.length === 0) return /(?!)/
  const words = names.map(escaped).join('|')
  return new RegExp(`(<(?:[\\w-]{1,50}:)?(?:${words})(?:\\s[^<>]{0,500})?>)[^<]+`, 'giu')
}

const escaped = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Where a value stands; and, when it is no field, the JSON that the string holds. */
type Range = { readonly start: number; readonly end: number; readonly inner: string | null }

/** A string, which may be cut; a sign; or a number or word. */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|$)|[{}[\],:]|[^\s{}[\],:"]+/g

const HOLDS_JSON = /^"\s*(?:\\[nrt]\s*)*[[{][\s\S]*\\"/

type Container = { readonly isArray: boolean; step: Step | undefined }

/** The values of the fields, and strings that hold JSON, as they are written. Null has nothing to hide. */
function* valueRanges(body: string, isField: (path: Path) => boolean): Iterable<Range> {
  const containers: Container[] = []
  const path: Step[] = []
  /** Where the field began that is read now, and at which depth. */
  let field: { readonly start: number; readonly depth: number } | undefined
  for (const { 0: token, index } of body.matchAll(TOKEN)) {
    const inside = containers.at(-1)
    const isStart = token === '{' || token === '['
    if (token === '}' || token === ']') {
      containers.pop()
      path.pop()
      if (field?.depth === containers.length) {
        yield { start: field.start, end: index + 1, inner: null }
        field = undefined
      }
    } else if (token === ',') {
      if (inside !== undefined) inside.step = inside.isArray ? Number(inside.step) + 1 : undefined
    } else if (inside !== undefined && !inside.isArray && inside.step === undefined && !isStart) {
      inside.step = folded(plainValue(token))
    } else if (token !== ':') {
      if (inside !== undefined) path[containers.length - 1] = inside.step as Step
      const isHidden = field === undefined && token !== 'null' && isField(path.slice(0, containers.length))
      if (isStart) {
        if (isHidden) field = { start: index, depth: containers.length }
        containers.push({ isArray: token === '[', step: token === '[' ? 0 : undefined })
      } else if (isHidden) yield { start: index, end: index + token.length, inner: null }
      else if (field === undefined && HOLDS_JSON.test(token)) {
        yield { start: index, end: index + token.length, inner: plainValue(token) }
      }
    }
  }
  if (field !== undefined) yield { start: field.start, end: body.length, inner: null }
}

/** A string without its quotation marks and escapes. */
function plainValue(token: string): string {
  try {
    const value: unknown = JSON.parse(token)
    return typeof value === 'object' ? token : String(value)
  } catch {
    return token.replace(/^"|"$/g, '')
  }
}

/** The values in a value, without names: they are masked wherever else they occur. What is only true or false says nothing there. */
function leavesOf(value: string): readonly string[] {
  const tokens = [...value.matchAll(TOKEN)].filter(({ 0: token, index }) => {
    const isName = /^\s*:/.test(value.slice(index + token.length, index + token.length + 10))
    return !isName && !/^(?:[{}[\],:]|true|false|null)$/.test(token)
  })
  return tokens.map(([token]) => plainValue(token))
}
