/**
 * Holds what was sent to its shape. All that is wrong is told at once, each with its place; nothing is dropped silently.
 * Members that are left out get the default of their shape.
 */
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { Settings } from 'typebox/system'
import { Value } from 'typebox/value'
import type { ProblemDetail } from '../kernel/problem.ts'
import { invalidInput } from './problems.ts'

/** Enough to go on with. */
const MOST_DETAILS = 20

// Some of them say the same thing twice.
Settings.Set({ maxErrors: 4 * MOST_DETAILS })

/**
 * The shape of a body as callers may send it, made from the shape of what it becomes: they may leave out members that have a
 * default and members that may be null. Validation puts them in, hence the same type.
 */
export function requestShape<Draft extends TObject>(draft: Draft): Draft {
  const members = Object.entries(draft.properties).map(([name, shape]) => [name, omissible(shape)] as const)
  return Type.Object(Object.fromEntries(members), { additionalProperties: false }) as unknown as Draft
}

function omissible(shape: TSchema): TSchema {
  if ('default' in shape) return Type.Optional(shape)
  const { anyOf } = shape as { readonly anyOf?: TSchema[] }
  const takesNull = anyOf?.some((one) => 'type' in one && one.type === 'null')
  return anyOf !== undefined && takesNull ? Type.Optional(Type.Union(anyOf, { default: null })) : shape
}

/**
 * No body at all is the object of which everything is left out.
 *
 * @throws DetailedProblem ADM105
 */
export function validBody<Shape extends TSchema>(shape: Shape, body: unknown): Static<Shape> {
  const given = body === undefined && typeOf(shape) === 'object' ? {} : body
  return checked(shape, Value.Default(shape, given), 'body')
}

/**
 * Parameters of an address are text: numbers and booleans are read where the shape wants them.
 *
 * @throws DetailedProblem ADM105
 */
export function validParameters<Shape extends TSchema>(
  shape: Shape,
  parameters: Readonly<Record<string, unknown>>,
): Static<Shape> {
  const shapes = (shape as { readonly properties?: Readonly<Record<string, TSchema>> }).properties ?? {}
  const read = Object.entries(parameters).map(([name, text]) => [
    name,
    typeof text === 'string' && Object.hasOwn(shapes, name) ? parameterOf(text, shapes[name]) : text,
  ])
  return checked(shape, Value.Default(shape, Object.fromEntries(read)), 'address')
}

/** What cannot be read stays text, which the shape then refuses. */
function parameterOf(text: string, shape: TSchema | undefined): unknown {
  const type = typeOf(shape)
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

const typeOf = (shape: TSchema | undefined) => (shape as { readonly type?: unknown } | undefined)?.type

function checked<Shape extends TSchema>(shape: Shape, value: unknown, what: string): Static<Shape> {
  if (Value.Check(shape, value)) return value as Static<Shape>
  throw invalidInput(what, detailsOf(Value.Errors(shape, value)))
}

type ValueError = ReturnType<typeof Value.Errors>[number]

function detailsOf(errors: readonly ValueError[]): ProblemDetail[] {
  const telling = errors.filter(
    // What stands beside a more telling error of the same place.
    ({ keyword }) => keyword !== 'boolean' && keyword !== 'anyOf',
  )
  const details = new Map<string, ProblemDetail>()
  for (const error of telling) {
    if (isOtherBranch(error, telling)) continue
    for (const detail of detailOf(error, telling)) details.set(`${detail.path} ${detail.message}`, detail)
  }
  return [...details.values()].slice(0, MOST_DETAILS)
}

/** A value that may also be null, and is something else that is wrong in itself: that is what there is to mend. */
const isOtherBranch = ({ keyword, instancePath, params }: ValueError, errors: readonly ValueError[]) =>
  keyword === 'type' &&
  (params as { readonly type?: unknown }).type === 'null' &&
  errors.some(
    (other) =>
      (other.instancePath === instancePath && other.keyword !== 'type') ||
      other.instancePath.startsWith(`${instancePath}/`),
  )

function detailOf(error: ValueError, errors: readonly ValueError[]): ProblemDetail[] {
  const { instancePath: path, message } = error
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        path: `${path}/${name}`,
        message: 'is missing',
      }))
    case 'additionalProperties':
      return error.params.additionalProperties.map((name) => ({
        path: `${path}/${name}`,
        message: 'is not known here',
      }))
    case 'enum':
      return [{ path, message: `must be one of ${error.params.allowedValues.join(', ')}` }]
    case 'type':
      return [{ path, message: `must be ${typesAt(path, errors).join(' or ')}` }]
    default:
      return [{ path, message }]
  }
}

/** The branches of a union say one each. */
const typesAt = (path: string, errors: readonly ValueError[]): unknown[] => [
  ...new Set(
    errors
      .filter(({ keyword, instancePath }) => keyword === 'type' && instancePath === path)
      .map(({ params }) => (params as { readonly type?: unknown }).type),
  ),
]
