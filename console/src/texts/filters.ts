/** Texts of the filter of a list. */

const ofText = {
  eq: 'is',
  ne: 'is not',
  contains: 'contains',
  startswith: 'begins with',
  endswith: 'ends with',
  in: 'is one of',
  nin: 'is none of',
  gt: 'is after, in order of the alphabet',
  ge: 'is at or after',
  lt: 'is before, in order of the alphabet',
  le: 'is at or before',
  empty: 'is empty',
  filled: 'is not empty',
}

const ofDate = { ...ofText, gt: 'is after', ge: 'is on or after', lt: 'is before', le: 'is on or before' }

const ofNumber = { ...ofText, eq: '=', ne: '≠', gt: '>', ge: '≥', lt: '<', le: '≤' }

export const filterTexts = {
  filter: 'Filter',
  filterHint: 'The key / leads here from the table',
  placeholder: {
    bookings: "Such as isTicketed eq true and contains(traveller, 'lee')",
    itineraries: "Such as any(segments, vendor eq 'QF' and status eq 'HK')",
    invoices: "Such as invoiceDate ge '2026-01-01' and balanceAmount gt 0",
  } as const,
  apply: 'Apply',
  clear: 'Take the filter away',
  conditions: 'Conditions',
  conditionsHint: 'Build the filter of conditions',
  undrawable: 'The filter has an error. Correct it in the text above; then its conditions are shown here.',
  atColumn: (column: number) => `At character ${column + 1}`,
  refused: 'The filter was refused',
  operators: {
    text: ofText,
    label: ofText,
    date: ofDate,
    minute: ofDate,
    integer: ofNumber,
    decimal: ofNumber,
    boolean: ofText,
  },
  field: 'Field',
  chooseField: 'Choose a field',
  operator: 'Operator',
  value: 'Value',
  values: 'Values',
  valuesHint: 'Write a value and press Enter',
  true: 'Yes',
  false: 'No',
  not: 'not',
  negate: 'Find what does not satisfy this condition',
  removeCondition: 'Remove this condition',
  textPart: 'Condition as text',
  textPartHint: 'This condition has a form that the fields do not show. It can be changed as text.',
  join: 'How the conditions are joined',
  joins: { and: 'All of these', or: 'Any of these' } as const,
  group: 'Group of conditions',
  addCondition: 'Condition',
  addGroup: 'Group',
  addElements: (collection: string) => `Some ${collection.toLowerCase()}`,
  quantifier: (collection: string) => `How many elements of ${collection.toLowerCase()}`,
  quantifiers: {
    any: (element: string) => `Some ${element.toLowerCase()} with`,
    all: (element: string) => `Every ${element.toLowerCase()} with`,
  } as const,
  noCondition: 'No condition yet: every record is shown.',
  noConditionOfElements: 'Without a condition it is enough that there is one.',
  groups: { fields: 'Fields', labels: 'Labels of the newest 500 records', elements: 'Elements' } as const,
  completion: {
    condition: 'field',
    label: 'label',
    collection: 'collection',
    operator: 'operator',
    function: 'function',
    records: (count: string) => (count === '1' ? '1 record' : `${count} records`),
    mostFrequent: (shown: string, all: string) =>
      `The ${shown} most frequent of ${all}; write on to find others`,
  },
} as const
