/** Shapes of request bodies, made from the shapes of what is stored. `validate.ts` checks bodies against them. */
import type { TObject, TSchema } from 'typebox'
import Type from '../kernel/type.ts'

/**
 * Makes the shape of a body as callers may send it: they may leave out members that have a default or may be null. Validation
 * adds these members, so the type is that of the full shape.
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
