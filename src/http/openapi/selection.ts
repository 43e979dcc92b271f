/**
 * The parameters of version 2 that choose members, and records by their position, in the OpenAPI document. The schema of an answer
 * stays that of whole records: a schema without required members would make every generated client check each member for absence,
 * also in answers without `$select`. These schemas are documentation only.
 */
import Type from '../../kernel/type.ts'
import type { ListName } from '../../schema/datasets.ts'
import type { Examples } from './examples.ts'

const examples: { readonly [Name in ListName]: Examples } = {
  bookings: {
    few: { summary: 'Three fields', value: 'recordLocator,bookingDate,isTicketed' },
    label: { summary: 'A custom label', value: "recordLocator,customDataFields['Cost centre']" },
    more: { summary: 'The record and more', value: '*,traveller,travellers' },
  },
  itineraries: {
    few: {
      summary: 'Some members of each segment',
      value: 'recordLocator,segments.origin,segments.destination',
    },
    more: { summary: 'The record and more', value: '*,tripStartUtc,tripEndUtc' },
  },
  invoices: {
    few: { summary: 'Totals', value: 'invoiceNumber,dueDate,totalAmount,balanceAmount' },
    lines: {
      summary: 'Some members of each line',
      value: 'invoiceNumber,lineItems.lineType,lineItems.lineAmountIncGst',
    },
    more: { summary: 'The record and its tickets', value: '*,lineItems.ticketNumber' },
  },
}

const description = `
The members that the records shall have, separated by commas; records have no others. The order in which they are written does not
matter: the record keeps the order of its members, and fields that whole records do not show follow them.

| Form | Selects |
|---|---|
| \`recordLocator\` | a field |
| \`customDataFields['Cost centre']\` | a custom label, within \`customDataFields\`; without a value it has no member, as in whole records |
| \`customDataFields\` | all custom labels |
| \`lineItems\`, \`segments\` | a collection with the members that whole records show |
| \`lineItems.lineType\` | a member of each element; others may be added, as in \`lineItems.lineType,lineItems.ticketNumber\` |
| \`*\` | the whole record, to which others may be added, as in \`*,currencyCode\` |

The additional fields and collections that \`$filter\` lists can be selected as well. CSV and Arrow have only the columns of the selected
members. The schema of the answer describes whole records: with \`$select\`, required members are absent if they are not selected.
`.trim()

export const selectParameter = (list: ListName) => Type.String({ description, 'x-examples': examples[list] })

export const countParameter = Type.Boolean({
  description:
    'Accepted as `true` and `false`, for clients that send it. Either way `_meta.total` has the total, as with every parameter.',
})

/** Without defaults, which generated clients might send together with those of `$page` and `$pageSize`. */
export const topParameter = Type.Integer({
  minimum: 0,
  maximum: 500,
  description:
    'Most records to return: another way to page. 50 if only `$skip` is given; a value above 500 means 500. `_meta` has the totals, ' +
    'but no members of pages. Not together with `$page` or `$pageSize`.',
})

export const skipParameter = Type.Integer({
  minimum: 0,
  description:
    'How many records to pass over, from 0. The header `Link` has the `next` records. Not together with `$page` or `$pageSize`.',
})
