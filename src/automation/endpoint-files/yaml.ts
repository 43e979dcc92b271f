/**
 * Reads the YAML of an endpoint: its definition without the script, and the name of the script's file. Reports all faults at
 * once, each with its place in the text. Members that are left out get the default of the definition's shape.
 */
import type { TSchema } from 'typebox'
import Format from 'typebox/format'
import { Settings } from 'typebox/system'
import { Value } from 'typebox/value'
import { type Document, isMap, isNode, isScalar, parseDocument } from 'yaml'
import { malformedPath } from '../../directory/endpoints/problems.ts'
import { halfRoute } from '../../directory/schedules/problems.ts'
import { closest } from '../../kernel/closest.ts'
import type { ProblemCode } from '../../kernel/problem.ts'
import Type from '../../kernel/type.ts'
import { ADDRESS_RANGE, isAddressRange } from '../../schema/address-range.ts'
import { parseEndpointPath } from '../../schema/endpoint-path.ts'
import {
  Deduplication,
  EndpointDefinition,
  endpointMethods,
  Schedule,
  SignatureCheck,
} from '../../schema/endpoint-shapes.ts'

export type ScriptlessDefinition = Omit<EndpointDefinition, 'script'>

/** A fault in a text. `at` is an offset in UTF-16 code units; null means the whole text. */
export type TextFault = {
  readonly code: ProblemCode | `JM${number}`
  readonly message: string
  readonly at: number | null
}

export type EndpointYaml = {
  readonly document: Document
  /** Null when there are faults. */
  readonly definition: ScriptlessDefinition | null
  /** The name of the endpoint, also when other members have faults. */
  readonly name: string | null
  /** The name of the script's file, if the YAML has one. */
  readonly script: string | null
  readonly faults: readonly TextFault[]
}

/** The defaults of the definition's shape. */
export const endpointDefaults = Value.Default(EndpointDefinition, {}) as Partial<ScriptlessDefinition>

/** The defaults of a schedule's shape. */
export const scheduleDefaults = Value.Default(Schedule, {}) as Partial<Schedule>

const { properties } = EndpointDefinition

const ScheduleFileShape = Type.Object(
  {
    ...Schedule.properties,
    timeZone: Type.Optional(Schedule.properties.timeZone),
    input: Type.Optional(Schedule.properties.input),
    overlap: Type.Optional(Schedule.properties.overlap),
  },
  { additionalProperties: false },
)

const EndpointFileShape = Type.Object(
  {
    ...properties,
    // The definition also accepts null; here the member is left out instead, so faults inside it are reported precisely.
    method: Type.Optional(Type.Enum([...endpointMethods])),
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    signature: Type.Optional(SignatureCheck),
    deduplication: Type.Optional(Deduplication),
    description: Type.Optional(properties.description),
    requiresAuthentication: Type.Optional(properties.requiresAuthentication),
    allowedRoles: Type.Optional(properties.allowedRoles),
    limits: Type.Optional(properties.limits),
    record: Type.Optional(properties.record),
    maskedFields: Type.Optional(properties.maskedFields),
    schedules: Type.Optional(Type.Array(ScheduleFileShape, { maxItems: 20 })),
    allowedHosts: Type.Optional(properties.allowedHosts),
    script: Type.Optional(
      Type.String({ pattern: '^[^/\\\\]+$', description: 'the name of a file in the same folder' }),
    ),
  },
  { additionalProperties: false },
)

Format.Set(ADDRESS_RANGE, isAddressRange)

// Report all faults; the default of the library is the first eight.
Settings.Set({ maxErrors: 200 })

export function readEndpointYaml(text: string): EndpointYaml {
  const document = parseDocument(text, { prettyErrors: false })
  const malformed = [...document.errors, ...document.warnings].map(
    ({ message, pos: [at] }): TextFault => ({ code: 'END141', message: `This is not YAML: ${message}`, at }),
  )
  if (malformed.length > 0) return { document, ...nothing, faults: malformed }
  if (!isMap(document.contents)) {
    const message = 'Expected members such as `name: Spend report`, found none'
    return { document, ...nothing, faults: [{ code: 'END141', message, at: startOf(document.contents) }] }
  }
  let given: Members
  try {
    given = withoutNulls(document.toJS() as Members)
  } catch (cause) {
    // Nested aliases can expand to more than fits into memory.
    const message = `This YAML cannot be read: ${(cause as Error).message}`
    return { document, ...nothing, faults: [{ code: 'END141', message, at: null }] }
  }
  const faults = [...shapeFaults(given, document), ...routeFaults(given, document)]
  const { script = null, ...rest } = given
  return {
    document,
    definition: faults.length > 0 ? null : withDefaults(rest),
    name: typeof given.name === 'string' ? given.name : null,
    script: typeof script === 'string' ? script : null,
    faults,
  }
}

function withDefaults(given: Members): ScriptlessDefinition {
  const definition = { ...endpointDefaults, ...given } as ScriptlessDefinition
  const schedules = definition.schedules.map((schedule) => ({ ...scheduleDefaults, ...schedule }))
  return { ...definition, schedules }
}

/** The place of a member in the text: where its value begins. */
export function placeOf(document: Document, path: readonly (string | number)[]): number | null {
  const node = path.length === 0 ? document.contents : document.getIn(path, true)
  return startOf(node) ?? startOf(document.contents)
}

type Members = Readonly<Record<string, unknown>>

const nothing = { definition: null, name: null, script: null }

/** A member without a value counts as left out. */
const withoutNulls = (given: Members): Members =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))

type ShapeError = ReturnType<typeof Value.Errors>[number]

function shapeFaults(given: Members, document: Document): TextFault[] {
  if (Value.Check(EndpointFileShape, given)) return []
  return Value.Errors(EndpointFileShape, given).flatMap((error) => faultsOf(error, given, document))
}

function faultsOf(error: ShapeError, given: Members, document: Document): TextFault[] {
  const path = error.instancePath.split('/').slice(1).map(unescaped)
  const at = placeOf(document, path)
  const fault = (message: string, place = at): TextFault => ({ code: 'END142', message, at: place })
  switch (error.keyword) {
    // Repeats another error of the same place.
    case 'boolean':
      return []
    case 'required':
      return error.params.requiredProperties.map((name) => fault(`Expected the member ${name}, found none`))
    case 'additionalProperties':
      return error.params.additionalProperties.map((name) =>
        fault(
          `Expected only known members, found '${name}'${suggestion(name, membersAt(path))}`,
          keyPlace(document, path, name),
        ),
      )
    default: {
      const found = path.reduce<unknown>((value, name) => (value as Members | undefined)?.[name], given)
      return [fault(`Expected ${expectation(error, path)} as ${path.join('.')}, found ${shown(found)}`)]
    }
  }
}

function expectation(error: ShapeError, path: readonly string[]): string {
  switch (error.keyword) {
    case 'enum':
      return `one of ${error.params.allowedValues.join(', ')}`
    // Only deduplication has such a bound.
    case 'minProperties':
      return 'header, field or both'
    case 'type':
      return `${kinds.get(String(error.params.type)) ?? String(error.params.type)}`
    case 'format':
      return error.params.format === ADDRESS_RANGE
        ? 'an address or a range such as 203.0.113.0/24'
        : `something that ${error.message}`
    case 'pattern':
      return patterned.get(memberOf(path)) ?? `a text that matches ${error.params.pattern}`
    case 'minimum':
      return `at least ${error.params.limit}`
    case 'maximum':
      return `at most ${error.params.limit}`
    default:
      return `something that ${error.message}`
  }
}

/** Without the places of elements of lists. */
const memberOf = (path: readonly string[]): string => path.filter((step) => !/^\d+$/.test(step)).join('.')

/** What the patterns of members mean. */
const patterned: ReadonlyMap<string, string> = new Map([
  ['script', 'the name of a file in the same folder'],
  ['name', 'a text without spaces at its ends'],
  ['allowedHosts', 'a host such as erp.example.com, *.example.com or erp.example.com:8443, without https://'],
  ['cors.origins', 'an origin such as https://app.example.com, or *'],
  ['cors.headers', 'the name of a header'],
  ['deduplication.header', 'the name of a header'],
  ['deduplication.field', 'a JSON pointer such as /event/id'],
  ['maskedFields', 'a name such as passport, or a path such as $.travellers[*].passport'],
  ['schedules.name', 'small letters, digits and hyphens'],
  ['signature.header', 'the name of a header'],
  ['signature.timestampHeader', 'the name of a header'],
])

const kinds: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'members'],
])

function routeFaults({ method, path }: Members, document: Document): TextFault[] {
  if ((method === undefined) !== (path === undefined)) {
    const { code, message } = halfRoute(method === undefined ? 'method' : 'path')
    return [{ code, message, at: placeOf(document, []) }]
  }
  if (typeof path !== 'string' || path === '') return []
  const parsed = parseEndpointPath(path)
  if (!('fault' in parsed)) return []
  const { code, message } = malformedPath(path, parsed.fault)
  return [{ code, message, at: placeOf(document, ['path']) }]
}

/** The names of the members that the shape has at this path. */
function membersAt(path: readonly string[]): readonly string[] {
  const shape = path.reduce<TSchema | undefined>(
    (outer, name) => (outer as Shape | undefined)?.properties?.[name],
    EndpointFileShape,
  )
  return Object.keys((shape as Shape | undefined)?.properties ?? {})
}

type Shape = { readonly properties?: Readonly<Record<string, TSchema>> }

function suggestion(name: string, known: readonly string[]): string {
  const nearest = closest(name, known)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

function keyPlace(document: Document, path: readonly string[], name: string): number | null {
  const map = path.length === 0 ? document.contents : document.getIn(path, true)
  const pair = isMap(map)
    ? map.items.find(({ key }) => String(isScalar(key) ? key.value : key) === name)
    : null
  return startOf(pair?.key) ?? placeOf(document, path)
}

const startOf = (node: unknown): number | null => (isNode(node) ? (node.range?.[0] ?? null) : null)

/** RFC 6901, section 4. */
const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~')

function shown(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? 'nothing')
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
