/**
 * Checks input against its shape. Reports all faults at once, each with its place; unknown members are refused, not dropped.
 * Members that are left out get the default of their shape.
 */
import type { Static, TSchema } from 'typebox'
import Format from 'typebox/format'
import { Settings } from 'typebox/system'
import { Value } from 'typebox/value'
import { overlongArrays } from '../kernel/overlong-arrays.ts'
import { DetailedProblem, type ProblemDetail } from '../kernel/problem.ts'
import { ADDRESS_RANGE, isAddressRange } from '../schema/address-range.ts'
import { invalidInput, notFound } from './problems.ts'

/** The most faults of one answer. */
const MOST_DETAILS = 20

Format.Set(ADDRESS_RANGE, isAddressRange)

// The library reports some faults more than once.
Settings.Set({ maxErrors: 4 * MOST_DETAILS })

/**
 * A missing body counts as an object without members.
 *
 * @throws DetailedProblem ADM105
 */
export function validBody<Shape extends TSchema>(shape: Shape, body: unknown): Static<Shape> {
  const given = body === undefined && typeOf(shape) === 'object' ? {} : body
  return checked(shape, Value.Default(shape, given), 'body')
}

/**
 * Parameters of an address are texts; they are read as numbers and booleans where the shape expects these.
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

/**
 * An address that no id can have names nothing: it is not found, like that of a well-formed id that does not exist.
 *
 * @throws Problem ADM120
 */
export function validPath<Shape extends TSchema>(
  shape: Shape,
  parameters: Readonly<Record<string, unknown>>,
): Static<Shape> {
  try {
    return validParameters(shape, parameters)
  } catch (problem) {
    if (problem instanceof DetailedProblem) throw notFound('object', Object.values(parameters).join('/'))
    throw problem
  }
}

/** A text that cannot be read stays a text, which the shape then refuses. */
function parameterOf(text: string, shape: TSchema | undefined): unknown {
  const type = typeOf(shape)
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

const typeOf = (shape: TSchema | undefined) => (shape as { readonly type?: unknown } | undefined)?.type

function checked<Shape extends TSchema>(shape: Shape, value: unknown, what: string): Static<Shape> {
  const overlong = overlongArrays(shape, value)
  if (overlong.length > 0) throw invalidInput(what, overlong.slice(0, MOST_DETAILS))
  if (Value.Check(shape, value)) return value as Static<Shape>
  throw invalidInput(what, detailsOf(Value.Errors(shape, value)))
}

type ValueError = ReturnType<typeof Value.Errors>[number]

function detailsOf(errors: readonly ValueError[]): ProblemDetail[] {
  const telling = errors.filter(
    // These only repeat a more precise error of the same place.
    ({ keyword }) => keyword !== 'boolean' && keyword !== 'anyOf',
  )
  const details = new Map<string, ProblemDetail>()
  for (const error of telling) {
    if (isOtherBranch(error, telling)) continue
    for (const detail of detailOf(error, telling)) details.set(`${detail.path} ${detail.message}`, detail)
  }
  return [...details.values()].slice(0, MOST_DETAILS)
}

/** Drops "must be null" when a value that may be null is not null and has faults of its own: those are the ones to mend. */
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

/** All types that are allowed at a place. The library reports one error per branch of a union. */
const typesAt = (path: string, errors: readonly ValueError[]): unknown[] => [
  ...new Set(
    errors
      .filter(({ keyword, instancePath }) => keyword === 'type' && instancePath === path)
      .map(({ params }) => (params as { readonly type?: unknown }).type),
  ),
]
