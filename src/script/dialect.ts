/**
 * Two dialects of one language. `strict` is the language as other implementations have it; `service`, the default, adds the
 * forms that scripts of endpoints use: `elif`, method-style calls, `.add`, `.length`, `return` at top level, null equal to null.
 */
export const dialects = ['service', 'strict'] as const

export type Dialect = (typeof dialects)[number]
