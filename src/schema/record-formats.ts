/** The formats of records, by their names in `$format`. The first one is the default. */
export const recordFormats = ['json', 'ndjson', 'csv', 'arrow'] as const

export type RecordFormat = (typeof recordFormats)[number]
