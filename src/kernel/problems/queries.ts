import type { Explanations } from './kinds.ts'

/** Version 2: QRY1xx syntax, QRY2xx names, QRY3xx parameters. Version 1: QRY4xx. $apply: QRY5xx. */
export const queryExplanations = {
  QRY101: {
    meaning: 'A query parameter cannot be read at the column that the answer names.',
    action: 'Write what the message expects there.',
  },
  QRY102: {
    meaning: 'A text in $filter has no closing quote.',
    action: "Close the text with a single quote. Write a quote within a text twice, as in 'O''Hare'.",
  },
  QRY103: {
    meaning: 'A number in $filter is malformed.',
    action: 'Write a number such as 12, -0.5 or 1e3.',
  },
  QRY104: {
    meaning: 'There is no operator with this name.',
    action: 'Use one of the operators that the message lists.',
  },
  QRY105: {
    meaning: 'There is no function with this name.',
    action: 'Use one of the functions that the message lists.',
  },
  QRY106: {
    meaning: 'The filter has a name where a value is expected.',
    action: 'Put texts in single quotes. A field cannot be compared with another field.',
  },
  QRY107: {
    meaning: 'A reserved word is used where a field name is expected.',
    action: "Write the word as ['word'] if it is the name of a field.",
  },
  QRY108: {
    meaning: 'There is an any or all inside another any or all.',
    action: "Use only the element's own fields inside any and all.",
  },
  QRY109: {
    meaning: 'A query parameter has no value.',
    action: 'Give it a value, or leave it out.',
  },
  QRY201: {
    meaning: 'The list has no field with this name.',
    action: 'Use a field that the message names. Each client has its own labels of custom fields.',
  },
  QRY202: {
    meaning: 'More than one label of custom fields has this name, apart from letter case.',
    action: 'Write the label in its exact letter case.',
  },
  QRY203: {
    meaning: 'The path names a group of values, not a single value.',
    action: 'Add the name of the value, as the message shows.',
  },
  QRY204: {
    meaning: 'The path asks for a part of a single value.',
    action: 'Remove the part after the last dot.',
  },
  QRY205: {
    meaning: 'The path has more than two names.',
    action: "Write a label that contains a dot as customDataFields['a.b'].",
  },
  QRY206: {
    meaning: 'The collection belongs to another list.',
    action: 'Ask the list that the message names.',
  },
  QRY207: {
    meaning: '$orderby names a collection.',
    action: 'Sort by a field of the record itself.',
  },
  QRY208: {
    meaning: 'The first argument of any or all is not a collection.',
    action: 'Use the collection that the message names.',
  },
  QRY209: {
    meaning: 'A field inside any or all is written with the name of its collection.',
    action: 'Write the name of the field alone.',
  },
  QRY301: {
    meaning: 'A query parameter is given twice.',
    action: 'Give it once. Letter case and the $ make no difference.',
  },
  QRY302: {
    meaning: 'There is no query parameter with this name.',
    action: 'Follow the advice in the message.',
  },
  QRY303: {
    meaning: '$page, $pageSize, $top or $skip is not a whole number that it can be.',
    action: 'Give a whole number in the range that the message names.',
  },
  QRY304: {
    meaning: '$format does not have the name of a format.',
    action: 'Use a format that the message lists, or leave $format out.',
  },
  QRY305: {
    meaning: '$count is neither true nor false.',
    action: 'Write true or false, or leave $count out: _meta has the total with every parameter.',
  },
  QRY306: {
    meaning: '$top or $skip is mixed with $page or $pageSize.',
    action: 'Page with one pair or the other.',
  },
  QRY311: {
    meaning: 'A query parameter has too many characters.',
    action: 'Shorten it, or raise the setting parameterLength.',
  },
  QRY312: {
    meaning: '$filter has too many operators, functions and comparisons.',
    action: 'Ask with fewer conditions, or raise the setting filterNodes.',
  },
  QRY313: {
    meaning: '$filter is nested too deeply.',
    action: 'Nest fewer parentheses, not, any and all, or raise the setting filterDepth.',
  },
  QRY314: {
    meaning: 'A list in $filter has too many items.',
    action: 'Split the list over several requests, or raise the setting listItems.',
  },
  QRY315: {
    meaning: '$orderby has too many clauses.',
    action: 'Sort by fewer fields, or raise the setting sortClauses.',
  },
  QRY316: {
    meaning: '$filter is certain to read more rows than one request may.',
    action: 'Ask with fewer conditions, or raise the setting requestRowsScanned.',
  },
  QRY331: {
    meaning: 'A date or date-time field is compared with something else, such as 01/02/2025.',
    action: "Write '2026-01-31', or '2026-01-31T09:30' with seconds if needed.",
  },
  QRY332: {
    meaning: 'A number field is compared with something that is not a number.',
    action: 'Write a number such as 12, -0.5 or 1e3, with or without quotes.',
  },
  QRY333: {
    meaning: 'A boolean field is compared with something else, such as yes.',
    action: 'Write true, false, 1 or 0, with or without quotes.',
  },
  QRY334: {
    meaning: 'A text field is compared with true or false.',
    action: "Write a text in single quotes, as in 'true', or a number.",
  },
  QRY335: {
    meaning: 'The client has no custom label with this name.',
    action:
      'Use a label that the message names. With the setting unknownLabels = null, unknown labels are null in every record.',
  },
  QRY351: {
    meaning: 'The parameter `since` of a list of changes is neither a token nor a moment.',
    action:
      'Give the token of an earlier answer (`_meta.token`, or the header Changes-Token) as it is, a day such as 2026-11-20 or a moment such as 2026-11-20T08:00:00Z. Leave since out to get everything and a token.',
  },
  QRY352: {
    meaning: 'A parameter that chooses, orders or shapes records stands in a request for changes.',
    action:
      'Leave it out, and apply the changes to a copy of all records. Ask the list itself for other questions.',
  },
  QRY353: {
    meaning: 'The moment that `since` of a list of changes names has not come yet.',
    action:
      'Give a moment that has passed. A day begins at 00:00 UTC, which is later or earlier than where you are.',
  },
  QRY401: {
    meaning: 'A clause of a version 1 query has no operator.',
    action: 'Write a clause as Property^OPERATORvalue, such as Department^EQSales.',
  },
  QRY402: {
    meaning: 'Version 1 has no operator with these letters.',
    action: 'Use ^EQ, ^NE, ^GT, ^LT, ^GE, ^LE, ^IN, ^NI or ^CT.',
  },
  QRY403: {
    meaning: 'A clause of a version 1 query has no value.',
    action: 'Write a value after the operator, or remove the clause.',
  },
  QRY404: {
    meaning: 'A clause of a version 1 query compares with a value that is neither a number nor a date.',
    action: 'Write a number, or a date such as 2026-01-31.',
  },
  QRY405: {
    meaning: 'The records of version 1 have no property with this name.',
    action: 'Correct the name. Properties of nested parts cannot be searched.',
  },
  QRY406: {
    meaning: 'The operator does not apply to a property of this type.',
    action: 'Use an operator that the message lists.',
  },
  QRY407: {
    meaning: 'A clause of a version 1 query compares a boolean with something else.',
    action: 'Write true, false, 1 or 0.',
  },
  QRY408: {
    meaning: 'A version 1 query is not percent-encoded UTF-8.',
    action: 'Encode the query. A percent sign itself is written %25.',
  },
  QRY409: {
    meaning: 'The parameter query is given twice.',
    action: "Give it once, and join its clauses by ';'.",
  },
  QRY411: {
    meaning: 'A version 1 query has too many characters.',
    action: 'Shorten it, or raise the setting parameterLength.',
  },
  QRY412: {
    meaning: 'A version 1 query has too many clauses.',
    action: 'Ask with fewer clauses, or raise the setting filterNodes.',
  },
  QRY413: {
    meaning: 'A list in a version 1 query has too many items.',
    action: 'Split the list over several requests, or raise the setting listItems.',
  },
  QRY414: {
    meaning: 'A version 1 query is certain to read more rows than one request may.',
    action:
      'Ask with fewer clauses, with ^EQ or ^IN instead of ^CT, or raise the setting requestRowsScanned.',
  },
  QRY422: {
    meaning: '`tripfolio explain`: the version 1 query has no clauses.',
    action: 'Leave $filter out to get every record from version 2.',
  },
  QRY423: {
    meaning: "`tripfolio explain`: the version 1 query contains a raw '&', which ends a value in an address.",
    action: 'Write & within a value as %26. Write every other parameter with its name.',
  },
  QRY424: {
    meaning:
      '`tripfolio explain`: the translated filter has control characters, which plain output cannot show.',
    action: 'Use --json.',
  },
  QRY450: {
    meaning: 'A query parameter has no name. A shell replaces `$filter` between double quotes by nothing.',
    action: 'Write the name without the $, which means the same, or put the address in single quotes.',
  },
  QRY501: {
    meaning: 'The steps of $apply are not in an order that works.',
    action: 'Write filter steps first, and then one groupby or aggregate.',
  },
  QRY502: {
    meaning: '$apply has no step with this name.',
    action: 'Use filter, groupby and aggregate. Sort with $orderby, and page with $page and $pageSize.',
  },
  QRY503: {
    meaning: '$apply has no aggregation method with this name.',
    action: 'Use sum, min, max, average or countdistinct; $count counts.',
  },
  QRY504: {
    meaning: 'The aggregation method does not apply to a field of this type.',
    action: 'Use a field of the type that the message names. Labels are texts.',
  },
  QRY505: {
    meaning: 'year, quarter, month, week or date in $apply has a field that is not a date.',
    action: 'Use a date or date-time field. Labels are texts.',
  },
  QRY506: {
    meaning: 'Two members of the groups of $apply have the same name.',
    action: 'Give one of them another name with as.',
  },
  QRY507: {
    meaning: '$apply sums or averages a field of the record once per element.',
    action: 'Aggregate it in a request of its own without a dimension of elements.',
  },
  QRY508: {
    meaning: '$apply names fields of two collections.',
    action: 'Ask for each collection in a request of its own.',
  },
  QRY509: {
    meaning: '$orderby beside $apply names something that the groups do not have.',
    action: 'Sort by a dimension or an alias.',
  },
  QRY510: {
    meaning: '$select stands beside $apply, whose dimensions and aggregates are all that groups have.',
    action: 'Leave $select out, and name what the groups should have in $apply.',
  },
  QRY511: {
    meaning: 'groupby in $apply has too many dimensions.',
    action: 'Group by fewer dimensions, or raise the setting applyDimensions.',
  },
  QRY512: {
    meaning: 'aggregate in $apply has too many aggregates.',
    action: 'Split them over several requests, or raise the setting applyAggregates.',
  },
  QRY513: {
    meaning: '$apply has too many groups.',
    action: 'Group by fewer or coarser dimensions, or raise the setting applyGroups.',
  },
  QRY514: {
    meaning: 'The groups of $apply need too much memory.',
    action: 'Ask for fewer groups or aggregates, or raise the setting applyBytes.',
  },
  QRY520: {
    meaning:
      'A local time of the record, or the order of a label, is compared with a time that has an offset from UTC, such as +10:00.',
    action: 'Write the local time without the offset. Z is taken as written.',
  },
} satisfies Explanations
