/**
 * The YAML of an endpoint -> its definition without the script, and the name of the script's file. All that is wrong is told at
 * once, each with its place in the text. What is left out has the default of the definition's shape.
 */
import Type, { type TSchema } from 'typebox'
import { Settings } from 'typebox/system'
import { Value } from 'typebox/value'
import { type Document, isMap, isNode, isScalar, parseDocument } from 'yaml'
import { malformedPath } from '../../directory/endpoints/problems.ts'
import { closest } from '../../kernel/closest.ts'
import type { ProblemCode } from '../../kernel/problem.ts'
import { parseEndpointPath } from '../../schema/endpoint-path.ts'
import { Deduplication, EndpointDefinition, SignatureCheck } from '../../schema/endpoint-shapes.ts'

export type ScriptlessDefinition = Omit<EndpointDefinition, 'script'>

/** Something wrong in a text; `at` is the offset in UTF-16 units, null for the whole of it. */
export type TextFault = {
  readonly code: ProblemCode | `JM${number}`
  readonly message: string
  readonly at: number | null
}

export type EndpointYaml = {
  readonly document: Document
  /** Null where something is wrong. */
  readonly definition: ScriptlessDefinition | null
  /** Also where something else is wrong. */
  readonly name: string | null
  /** The file that holds the script, where it is named. */
  readonly script: string | null
  readonly faults: readonly TextFault[]
}

/** As the shape of the definition has them. */
export const endpointDefaults = Value.Default(EndpointDefinition, {}) as Partial<ScriptlessDefinition>

const { properties } = EndpointDefinition

const EndpointFileShape = Type.Object(
  {
    ...properties,
    // Left out, null is meant: what is there is looked at as what it has to be.
    signature: Type.Optional(SignatureCheck),
    deduplication: Type.Optional(Deduplication),
    description: Type.Optional(properties.description),
    requiresAuthentication: Type.Optional(properties.requiresAuthentication),
    allowedRoles: Type.Optional(properties.allowedRoles),
    limits: Type.Optional(properties.limits),
    script: Type.Optional(
      Type.String({ pattern: '^[^/\\\\]+$', description: 'the name of a file beside it' }),
    ),
  },
  { additionalProperties: false },
)

// Everything that is wrong is told; the default is the first eight.
Settings.Set({ maxErrors: 200 })

export function readEndpointYaml(text: string): EndpointYaml {
  const document = parseDocument(text, { prettyErrors: false })
  const malformed = [...document.errors, ...document.warnings].map(
    ({ message, pos: [at] }): TextFault => ({ code: 'END141', message: `This is no YAML: ${message}`, at }),
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
    // Aliases of aliases can stand for more than fits into any memory.
    const message = `This is no YAML that can be read: ${(cause as Error).message}`
    return { document, ...nothing, faults: [{ code: 'END141', message, at: null }] }
  }
  const faults = [...shapeFaults(given, document), ...pathFaults(given, document)]
  const { script = null, ...rest } = given
  return {
    document,
    definition: faults.length > 0 ? null : ({ ...endpointDefaults, ...rest } as ScriptlessDefinition),
    name: typeof given.name === 'string' ? given.name : null,
    script: typeof script === 'string' ? script : null,
    faults,
  }
}

/** Where a member stands in the text: the beginning of its value. */
export function placeOf(document: Document, path: readonly (string | number)[]): number | null {
  const node = path.length === 0 ? document.contents : document.getIn(path, true)
  return startOf(node) ?? startOf(document.contents)
}

type Members = Readonly<Record<string, unknown>>

const nothing = { definition: null, name: null, script: null }

/** A member without a value is as good as left out. */
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
    // Says in other words what the error beside it says.
    case 'boolean':
      return []
    case 'required':
      return error.params.requiredProperties.map((name) => fault(`Expected the member ${name}, found none`))
    case 'additionalProperties':
      return error.params.additionalProperties.map((name) =>
        fault(
          `Expected only members that are known, found '${name}'${suggestion(name, membersAt(path))}`,
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
    case 'type':
      return `${kinds.get(String(error.params.type)) ?? String(error.params.type)}`
    case 'pattern':
      return path.join() === 'script'
        ? 'the name of a file beside it'
        : path.join() === 'name'
          ? 'a text without blanks at its ends'
          : `a text of the pattern ${error.params.pattern}`
    default:
      return `something that ${error.message}`
  }
}

const kinds: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'members'],
])

function pathFaults({ path }: Members, document: Document): TextFault[] {
  if (typeof path !== 'string' || path === '') return []
  const parsed = parseEndpointPath(path)
  if (!('fault' in parsed)) return []
  const { code, message } = malformedPath(path, parsed.fault)
  return [{ code, message, at: placeOf(document, ['path']) }]
}

/** The names that are known at a place of the shape. */
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
