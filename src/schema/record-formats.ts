/** What records can be written as, by the names that `$format` has for them. The first is the one for whoever does not ask. */
export const recordFormats = ['json', 'ndjson', 'csv', 'arrow'] as const

export type RecordFormat = (typeof recordFormats)[number]
