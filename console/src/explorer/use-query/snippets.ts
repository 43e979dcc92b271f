/**
 * A query in the languages in which people use it. Each piece of code reads all records that match, as one answer. Values go
 * through the quoting of their language only, so a filter with quotes, backslashes or line breaks stays the same filter.
 */
import type { ListName } from '../fields/list-fields.ts'
import { placeOf, splitPaths } from '../fields/paths.ts'

export type SnippetLanguage = 'url' | 'curl' | 'python' | 'javascript' | 'powerQuery' | 'duckdb'

export type SnippetQuery = {
  /** Of the service, such as `https://travel.example.com`. */
  readonly service: string
  readonly list: ListName
  /** Of the API, with `$`. */
  readonly parameters: Readonly<Record<string, string>>
}

export const snippetLanguages: readonly SnippetLanguage[] = [
  ...(['url', 'curl', 'python', 'javascript', 'powerQuery', 'duckdb'] as const),
]

/** The line that people replace. */
export const KEY_PLACEHOLDER = 'YOUR_KEY'

export const snippet = (language: SnippetLanguage, query: SnippetQuery): string => writers[language](query)

const writers: { readonly [Name in SnippetLanguage]: (query: SnippetQuery) => string } = {
  url: (query) => addressOf(query),
  curl,
  python,
  javascript,
  powerQuery,
  duckdb,
}

const pathOf = ({ service, list }: SnippetQuery): string => `${service}/api/v2/${list}`

/** Spaces are `%20`: some readers of addresses take `+` for a plus. */
export function addressOf(query: SnippetQuery, more: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries({ ...query.parameters, ...more }).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  )
  return pairs.length === 0 ? pathOf(query) : `${pathOf(query)}?${pairs.join('&')}`
}

/** A shell would replace `$filter` by nothing, so the names go without. */
function curl(query: SnippetQuery): string {
  const parameters = Object.entries(query.parameters).map(
    ([name, value]) => `  --data-urlencode ${shellText(`${name.replace(/^\$/, '')}=${value}`)}`,
  )
  return [
    `export TRIPFOLIO_KEY=${KEY_PLACEHOLDER}`,
    [
      'curl -fsSG --compressed -H "X-API-Key: $TRIPFOLIO_KEY"',
      ...parameters,
      `  ${shellText(pathOf(query))}`,
    ].join(' \\\n'),
  ].join('\n')
}

const shellText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** JSON's texts are texts of Python and JavaScript, too, once the two line separators of Unicode are escaped. */
const sourceText = (text: string): string =>
  JSON.stringify(text).replace(/[\u2028\u2029\u007f-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })

/** Python reads `\uD83D\uDE00` as two halves, so what is beyond the basic plane gets its own form there. */
const pythonText = (text: string): string =>
  sourceText(text).replace(
    /\\u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})/gi,
    (_all, high: string, low: string) => {
      const point =
        (Number.parseInt(high, 16) - 0xd800) * 0x400 + (Number.parseInt(low, 16) - 0xdc00) + 0x10000
      return `\\U${point.toString(16).padStart(8, '0')}`
    },
  )

function python(query: SnippetQuery): string {
  const parameters = Object.entries(query.parameters).map(
    ([name, value]) => `    ${pythonText(name)}: ${pythonText(value)},\n`,
  )
  return `import json, os, urllib.parse, urllib.request

address = ${pythonText(pathOf(query))}
parameters = {
${parameters.join('')}}
request = urllib.request.Request(
    address + "?" + urllib.parse.urlencode(parameters, quote_via=urllib.parse.quote),
    headers={"X-API-Key": os.environ.get("TRIPFOLIO_KEY", "${KEY_PLACEHOLDER}")},
)
with urllib.request.urlopen(request) as answer:
    records = json.load(answer)[${pythonText(query.list)}]
print(len(records))
`
}

function javascript(query: SnippetQuery): string {
  const parameters = Object.entries(query.parameters).map(
    ([name, value]) => `address.searchParams.set(${sourceText(name)}, ${sourceText(value)})\n`,
  )
  return `const address = new URL(${sourceText(pathOf(query))})
${parameters.join('')}const answer = await fetch(address, {
  headers: { 'X-API-Key': process.env.TRIPFOLIO_KEY ?? '${KEY_PLACEHOLDER}' },
})
if (!answer.ok) throw new Error(await answer.text())
const { ${query.list}: records } = await answer.json()
console.log(records.length)
`
}

/**
 * Formula language of Excel and Power BI: quotes are doubled, and `#(` begins an escape. The columns are named, because without
 * them the first record would decide, and it may lack what others have. Labels become columns of their own.
 */
function powerQuery(query: SnippetQuery): string {
  const fields = Object.entries(query.parameters).map(
    ([name, value]) => `        ${name.replace(/^\$/, '')} = ${powerQueryText(value)}`,
  )
  const { members, labels } = membersOf(query)
  const columns = members.length === 0 ? 'null' : powerQueryList(members)
  const expanded = expandedLabels(members, labels)
  const given = fields.length === 0 ? '' : `\n      Query = [\n${fields.join(',\n')}\n      ],`
  return `let
  Answer = Json.Document(
    Web.Contents(${powerQueryText(query.service)}, [
      RelativePath = ${powerQueryText(`api/v2/${query.list}`)},${given}
      Headers = [#"X-API-Key" = "${KEY_PLACEHOLDER}"]
    ])
  ),
  Records = Table.FromRecords(Answer[${query.list}], ${columns}, MissingField.UseNull)${expanded}
in
  ${expanded === '' ? 'Records' : 'Labels'}
`
}

/** Members of the records, and labels below `customDataFields`. */
function membersOf({ list, parameters }: SnippetQuery) {
  const members = new Set<string>()
  const labels: string[] = []
  for (const path of splitPaths(parameters.$select ?? '')) {
    const place = placeOf(list, path)
    if (place?.kind === 'label') labels.push(place.label)
    members.add(place?.kind === 'label' ? 'customDataFields' : (path.split('.')[0] ?? path))
  }
  return { members: [...members], labels }
}

/** A label may be called as a field is. */
function expandedLabels(members: readonly string[], labels: readonly string[]): string {
  if (labels.length === 0) return ''
  const names = labels.map((label) => (members.includes(label) ? `customDataFields.${label}` : label))
  const renamed = names.some((name, index) => name !== labels[index]) ? `, ${powerQueryList(names)}` : ''
  return `,
  Labels = Table.ExpandRecordColumn(Records, "customDataFields", ${powerQueryList(labels)}${renamed})`
}

const powerQueryList = (texts: readonly string[]): string => `{${texts.map(powerQueryText).join(', ')}}`

const powerQueryText = (text: string): string =>
  `"${text
    .replaceAll('#(', '#(#)(')
    .replaceAll('"', '""')
    .replaceAll('\n', '#(lf)')
    .replaceAll('\r', '#(cr)')
    .replaceAll('\t', '#(tab)')}"`

function duckdb(query: SnippetQuery): string {
  return `install httpfs;
load httpfs;
create or replace secret tripfolio (
  type http,
  scope ${sqlText(`${query.service}/`)},
  extra_http_headers map {'X-API-Key': '${KEY_PLACEHOLDER}'}
);
select * from read_json(${sqlText(addressOf(query, { $format: 'ndjson' }))}, format = 'newline_delimited');
`
}

const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`
