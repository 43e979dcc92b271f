/** Parameters of OData and of other services, and what to use here instead. Ignoring them would return every record. */

const PAGE_SIZE = 'use $pageSize, at most 500, with $page'
const PAGE = 'use $page with $pageSize'
const ORDER = 'use $orderby, as in $orderby=bookingDate desc'
const SELECT = 'use $select, as in $select=recordLocator,bookingDate'
const SEARCH = "use $filter with contains(field, 'text')"
const DATE = "use $filter with a date field, as in $filter=bookingDate ge '2026-01-31'"
const PAGE_OR_DATE = `${PAGE}, or $filter with a date field, as in $filter=bookingDate ge '2026-01-31'`
const CONDITION = "use $filter, as in $filter=bookingDate ge '2026-01-31'"
const INCLUDED = 'leave it out: segments, lineItems and customDataFields are always included'

const names: Readonly<Record<string, string>> = {
  [PAGE_SIZE]:
    'limit take perpage size rows max maxresults maxitems first last n num ps batchsize chunksize pagelimit itemsperpage resultsperpage',
  [PAGE]:
    'pagenumber pagenum pageindex pagetoken nextpage nextpagetoken cursor skiptoken nexttoken continuation continuationtoken startindex startat next p',
  [PAGE_OR_DATE]: 'start end before after',
  [DATE]:
    'from to since until between date day month year startdate enddate fromdate todate datefrom dateto daterange begindate updatedsince modifiedsince updatedafter modifiedafter createdafter createdsince',
  [ORDER]: 'sort sortby sortorder sortdir sortdirection orderdirection orderdir direction dir asc desc',
  [SELECT]: 'fields columns',
  'leave it out: _meta.total counts the records whenever a parameter is given': 'total',
  [INCLUDED]: 'expand include embed',
  'use $apply, as in $apply=groupby((month(bookingDate)),aggregate($count as n))':
    'groupby aggregate distinct unique sum avg average',
  [SEARCH]: 'search q text keyword keywords term find',
  [CONDITION]: 'where criteria condition conditions predicate filterby',
  'leave it out: the key alone decides whose records are returned': 'client',
  'use $format with json, ndjson, csv or arrow': 'output outputformat',
  "use $format, or $filter with segmentType or lineType, as in $filter=segmentType eq 'AIR'": 'type',
  "use $filter, as in $filter=recordLocator eq 'Z7K4QM'": 'id ids pnr locator key',
}

/** Advice about `filter[bookingDate]`, `page[size]`, `fields[bookings]`, by the text before the bracket. */
export const adviceForBracketed = (before: string): string | undefined =>
  bracketed.get(before) ?? adviceForOthers.get(before)

const bracketed: ReadonlyMap<string, string> = new Map([
  ['filter', CONDITION],
  ['orderby', ORDER],
  ['page', PAGE],
])

/** By the name in lower case, without `$`, `_` and `-`. */
export const adviceForOthers: ReadonlyMap<string, string> = new Map(
  Object.entries(names).flatMap(([advice, list]) => list.split(' ').map((name) => [name, advice] as const)),
)
