/** The drafts of JSON Schema that differ here. They are numbers, so that keywords can name their first and last draft. */
import type { Value } from '../../values/value.ts'

export type Draft = 4 | 6 | 7 | 2019 | 2020

const LATEST: Draft = 2020

const drafts: ReadonlyMap<string, Draft> = new Map([
  ['json-schema.org/draft-04/schema', 4],
  ['json-schema.org/draft-06/schema', 6],
  ['json-schema.org/draft-07/schema', 7],
  ['json-schema.org/draft/2019-09/schema', 2019],
  ['json-schema.org/draft/2020-12/schema', 2020],
])

/** The draft that a `$schema` names. Unknown ones most likely use the keywords of the latest draft. */
export const draftOf = ($schema: Value): Draft =>
  (typeof $schema === 'string' && drafts.get($schema.replace(/^https?:\/\//, '').replace(/#$/, ''))) || LATEST
