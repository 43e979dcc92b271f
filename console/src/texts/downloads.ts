/** Texts of the downloads. */
export const downloadTexts = {
  title: 'Download',
  hint: 'All records of this view, with its filter and order. The file comes from the server as it is written, so large lists need patience but no memory.',
  columns: 'Columns',
  columnChoices: { view: 'Those of this view', all: 'Whole records' },
  format: 'Format',
  formats: {
    csv: 'CSV, for spreadsheets',
    ndjson: 'NDJSON, one JSON record per line',
    arrow: 'Arrow, with types, for pandas, polars and DuckDB',
    json: 'JSON, one document',
  },
  start: 'Download',
  cancel: 'Cancel',
  progress: (bytes: string) => `${bytes} so far`,
  done: (name: string, bytes: string) => `${name} is saved (${bytes}).`,
  cancelled: 'The download was cancelled. What was written so far is not complete.',
  failed: 'The download has failed',
} as const
