/** Texts of import and export of the directory. */
export const transferTexts = {
  title: 'Import and export',
  exportTitle: 'Export',
  exportHint: 'All organizations and persons with their facets as one CSV file. The import reads it back.',
  exportAction: 'Download CSV',
  importTitle: 'Import',
  importHint:
    'A CSV file with a header. First you see what would be done, then you decide. A file is imported as a whole or not at all.',
  file: 'CSV file',
  choose: 'Choose a file',
  check: 'Show what would be done',
  apply: (count: string) => (count === '1' ? 'Import 1 row' : `Import ${count} rows`),
  dryRun: 'This is what the import would do. Nothing has been written.',
  done: 'The file is imported.',
  refused: 'The file is refused; nothing was written.',
  line: 'Line',
  resource: 'Kind',
  resources: { Organization: 'Organization', Person: 'Person' },
  name: 'Name or email address',
  outcome: 'Outcome',
  outcomes: { created: 'new', changed: 'changed', unchanged: 'as before' },
  members: 'What differs',
  summary: (kind: string, created: string, changed: string, unchanged: string) =>
    `${kind}: ${created} new, ${changed} changed, ${unchanged} as before`,
  firstRows: (shown: string, total: string) => `The first ${shown} of ${total} rows.`,
} as const
