/**
 * Masks the fields that an endpoint declares: members of JSON by name or by path, parameters, headers, and `name=value` or
 * `"name": "value"` in other texts. Reads JSON that was cut as far as it goes, and leaves the rest of a text as it is written.
 */
import { REDACTED } from './credential-names.ts'

export type MaskedFields = {
  readonly isField: (name: string) => boolean
  readonly json: (body: string) => string
  readonly form: (form: string) => string
  readonly text: (text: string) => string
  /** The values of the fields in a body of JSON. */
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
  const isField = (path: Path): boolean => {
    const last = path.at(-1)
    return (typeof last === 'string' && names.has(last)) || paths.some((field) => isAt(field, path))
  }
  const isParameter = (name: string) => isField([folded(name)])
  return {
    isField: isParameter,
    json: (body) => replaced(body, [...valueRanges(body, isField)]),
    form: (form) =>
      form
        .split('&')
        .map((parameter) => {
          const sign = parameter.indexOf('=')
          const name = decoded(parameter.slice(0, Math.max(sign, 0)).replace(/^\?/, ''))
          return sign < 0 || !isParameter(name) ? parameter : parameter.slice(0, sign + 1) + REDACTED
        })
        .join('&'),
    text: (text) => text.replace(isNamed, (_, start: string) => start + REDACTED),
    valuesIn: (body) =>
      [...valueRanges(body, isField)].map(({ start, end }) => plainValue(body.slice(start, end))),
  }
}

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
  const words = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
  const name = `(?<![\\p{L}\\p{N}_])(?:${words})(?![\\p{L}\\p{N}_])`
  const value = `(?<=["'])[^"'\\\\]+|[^\\s"',;&<>()[\\]{}\\\\]+`
  return new RegExp(`(${name}\\\\{0,5}["']?\\s{0,10}[:=]\\s{0,10}\\\\{0,5}["']?)(?:${value})`, 'giu')
}

type Range = { readonly start: number; readonly end: number }

/** A string, which may be cut; a sign; or a number or word. */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|$)|[{}[\],:]|[^\s{}[\],:"]+/g

type Container = { readonly isArray: boolean; step: Step | undefined }

/** The values of the fields, as they are written. Null has nothing to hide. */
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
        yield { start: field.start, end: index + 1 }
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
      } else if (isHidden) yield { start: index, end: index + token.length }
    }
  }
  if (field !== undefined) yield { start: field.start, end: body.length }
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

function replaced(body: string, ranges: readonly Range[]): string {
  let rest = ''
  let copied = 0
  for (const { start, end } of ranges) {
    rest += body.slice(copied, start) + JSON.stringify(REDACTED)
    copied = end
  }
  return rest + body.slice(copied)
}
