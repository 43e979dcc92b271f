/**
 * The shape of a body as callers may send it, made of the shape of what it becomes: members that have a default, and those
 * that may be null, may be left out.
 */
import Type, { type TObject, type TSchema } from 'typebox'

/** Once validated, every member is there: hence the same type. */
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
