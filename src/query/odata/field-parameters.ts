/**
 * Recognizes parameters that other services would take for a condition on a field: `recordLocator`, `bookingDate>`,
 * `bookingDate_gte`, `bookingDate[gte]`, `bookingDateFrom`. Gives the condition to write in $filter instead.
 */
import { datasets, namedFields, searchedCollections } from '../../schema/datasets.ts'
import { bareName } from '../bare-name.ts'

/** Undefined for a name that does not begin with that of a field. */
export function adviceForField(name: string, input: string): string | undefined {
  const bare = bareName(name)
  const joined = bare.replace(/[_-]/g, '')
  const field = fieldPaths.get(joined)
  const value = textLiteral(input)
  if (field !== undefined) return `use $filter, as in $filter=${field} eq ${value}`
  const [, start = '', rest = ''] = FIELD_AND_OPERATOR.exec(joined) ?? FIELD_AND_MORE.exec(bare) ?? []
  const path = fieldPaths.get(start)
  if (path === undefined) return undefined
  const condition = conditions.get(rest.replace(/^[^a-z0-9<>!]+/, ''))
  return condition === undefined || input === ''
    ? `use $filter with ${path} and an operator, as in $filter=${path} ne null`
    : `use $filter, as in $filter=${condition(path, value)}`
}

/** Undefined for a name that is not that of an additional field. Labels come first: a client may have one with this name. */
export function adviceForAdditionalField(name: string, input: string): string | undefined {
  const field = additionalFields.get(bareName(name).replace(/[_-]/g, ''))
  return field && `use $filter, as in $filter=${field} eq ${textLiteral(input)}`
}

/** Parameters that filter nothing: the key alone decides about the client (specification 1), and callers may name their own. */
const namesOfClient: ReadonlySet<string> = new Set(['clientNumber', 'clientName'])

/** The paths of fields that records do not show, also of elements, by their names as parameters. */
const additionalFields: ReadonlyMap<string, string> = new Map(
  Object.values(datasets)
    .flatMap((dataset) => [
      ...searchedCollections(dataset).flatMap(({ name: collection, fields, additionalFields: added }) =>
        (collection === dataset.nested?.name ? added : fields).map(({ name }) => [
          name,
          `${collection}.${name}`,
        ]),
      ),
      ...dataset.additionalFields.map(({ name }) => [name, name]),
    ])
    .filter(([name = '']) => !namesOfClient.has(name))
    .map(([name = '', path = '']) => [name.toLowerCase(), path]),
)

/** A longer value is not repeated. */
const LONGEST_VALUE = 40

export const textLiteral = (value: string): string =>
  value.length > LONGEST_VALUE ? "'...'" : `'${value.replaceAll("'", "''")}'`

/** The fields of all lists and of their elements, as names of parameters, with their paths. */
const fieldPaths: ReadonlyMap<string, string> = new Map(
  [
    ...Object.values(datasets).flatMap((dataset) =>
      searchedCollections(dataset)
        .toReversed()
        .flatMap((collection) =>
          namedFields(collection).map(({ name }) => ({ name, path: `${collection.name}.${name}` })),
        ),
    ),
    ...Object.values(datasets).flatMap((dataset) =>
      namedFields(dataset).map(({ name }) => ({ name, path: name })),
    ),
  ]
    .filter(({ name }) => !namesOfClient.has(name))
    .map(({ name, path }) => [name.toLowerCase(), path]),
)

type Condition = (path: string, value: string) => string

const comparison =
  (operator: string): Condition =>
  (path, value) =>
    `${path} ${operator} ${value}`

const conditionNames: readonly (readonly [names: string, condition: Condition])[] = [
  // `bookingDate>=2026-01-31` is the parameter `bookingDate>`
  ['ge gte from since min start >', comparison('ge')],
  ['le lte to until max end <', comparison('le')],
  ['gt after', comparison('gt')],
  ['lt before', comparison('lt')],
  ['eq equals is exact', comparison('eq')],
  ['ne neq not !', comparison('ne')],
  ['in', (path, value) => `${path} in (${value})`],
  ['nin notin', (path, value) => `${path} nin (${value})`],
  ['contains like ilike icontains', (path, value) => `contains(${path}, ${value})`],
  ['startswith', (path, value) => `startswith(${path}, ${value})`],
  ['endswith', (path, value) => `endswith(${path}, ${value})`],
]

/** By what follows the name of the field, without brackets, dots and underscores. */
const conditions: ReadonlyMap<string, Condition> = new Map(
  conditionNames.flatMap(([names, condition]) =>
    names.split(' ').map((name): [string, Condition] => [name, condition]),
  ),
)

const operatorWords = [...conditions.keys()].filter((name) => /^[a-z]+$/.test(name)).join('|')

/** In a name without underscores: an operator, or a bracket, a dot or another character that is no letter. Carets belong to version 1. */
const FIELD_AND_OPERATOR = new RegExp(
  `^(${[...fieldPaths.keys()].join('|')})([^\\p{L}\\p{N}^].*|(?:${operatorWords}|isnull|null|between|range))$`,
  'su',
)

/** Names of one word, such as `code` and `status`, begin parameters of other systems, such as `code_challenge`. */
const FIELD_AND_MORE = new RegExp(
  `^(${[...fieldPaths]
    .filter(([, path]) => /[A-Z]/.test(path.slice(path.indexOf('.') + 1)))
    .map(([name]) => name)
    .join('|')})([_-].*)$`,
  'su',
)
