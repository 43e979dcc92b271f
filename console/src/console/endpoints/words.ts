/** The words of an endpoint's definition, from its shape. */
import { endpointShape } from 'virtual:endpoint-shape'
import { controlOf } from '../../parts/shape-form/shape.ts'

const wordsOf = (member: string): readonly string[] => controlOf(endpointShape, member).shape.enum ?? []

export const categories = wordsOf('category')
export const methods = wordsOf('method')
export const states = ['active', 'inactive', 'draft', 'changed'] as const
