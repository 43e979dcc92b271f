/** Describes, for `$filter` and `$orderby`, what queries can name besides the members of a record. */
import type { TObject } from 'typebox'
import { additionalShapes } from '../../schema/additional-shapes.ts'
import { datasets, type ListName } from '../../schema/datasets.ts'

/** A table of the additional fields of a list and of its collections. */
export function additionalFieldsTable(list: ListName): string {
  const { fields, nested, collections } = additionalShapes[list]
  const rows = [
    ...rowsOf(fields, ''),
    ...(nested === null ? [] : rowsOf(nested, `${datasets[list].nested?.name}.`)),
    ...Object.entries(collections).flatMap(([name, shape]) => rowsOf(shape, `${name}.`)),
  ]
  return [
    'These fields and collections can be named as well, although the records do not show them. A custom label with the name of one of',
    "them is still written `customDataFields['...']`.",
    '',
    '| Additional field | Meaning |',
    '|---|---|',
    ...rows,
  ].join('\n')
}

/** The additional fields by which records can be sorted, in one sentence. */
export const additionalOrder = (list: ListName): string =>
  `Records can also be sorted by fields that they do not show: ${Object.keys(
    additionalShapes[list].fields.properties,
  )
    .map((name) => `\`${name}\``)
    .join(', ')}.`

/** The description of a nullable member is on its first alternative. */
type Described = { readonly description?: string; readonly anyOf?: readonly Described[] }

const rowsOf = ({ properties }: TObject, prefix: string): readonly string[] =>
  Object.entries(properties).map(([name, schema]) => {
    const { description, anyOf } = schema as Described
    return `| \`${prefix}${name}\` | ${description ?? anyOf?.[0]?.description ?? ''} |`
  })
