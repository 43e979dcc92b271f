/**
 * Finds arrays that are longer than their shape allows, before a validator sees them: it hashes all elements and lists those
 * that are there twice in a time that grows with the square of their number, minutes for a body of a few megabytes.
 */
import type { ProblemDetail } from './problem.ts'

type Shape = {
  readonly anyOf?: readonly Shape[]
  readonly items?: Shape
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Shape>>
}

export function overlongArrays(shape: object, value: unknown, path = ''): readonly ProblemDetail[] {
  const { anyOf = [], items, maxItems, properties = {} } = shape as Shape
  const found = anyOf.flatMap((branch) => overlongArrays(branch, value, path))
  if (Array.isArray(value)) {
    if (maxItems !== undefined && value.length > maxItems)
      return [{ path, message: `must not have more than ${maxItems} items` }]
    if (items === undefined) return found
    return [...found, ...value.flatMap((item, i) => overlongArrays(items, item, `${path}/${i}`))]
  }
  if (typeof value !== 'object' || value === null) return found
  const members = Object.entries(properties).filter(([name]) => Object.hasOwn(value, name))
  const inner = members.map(([name, member]) =>
    overlongArrays(member, (value as Readonly<Record<string, unknown>>)[name], `${path}/${name}`),
  )
  return [...found, ...inner.flat()]
}
