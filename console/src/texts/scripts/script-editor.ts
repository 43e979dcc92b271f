/** Texts of the script editor. */
export const scriptEditorTexts = {
  loading: 'Loading the editor',
  format: 'Format',
  formatted: 'The script is formatted.',
  notFormatted: 'A script with problems of syntax cannot be formatted.',
  find: 'Find and replace',
  keys: 'Keyboard help',
  keysOf: [
    ['Ctrl Space', 'Offer what can be written here'],
    ['Ctrl F', 'Find and replace'],
    ['Ctrl /', 'Comment or uncomment lines'],
    ['Shift Alt F', 'Format the script'],
    ['F8', 'Go to the next problem'],
    ['Ctrl Shift [  and  Ctrl Shift ]', 'Fold and unfold a block'],
    ['Tab  and  Shift Tab', 'Indent lines more or less'],
    ['Escape, then Tab', 'Leave the editor'],
    ['Ctrl Z  and  Ctrl Y', 'Undo and redo'],
  ] as const,
  position: (line: number, column: number) => `Line ${line}, column ${column}`,
  noProblems: 'No problems',
  problems: (errors: number, warnings: number) =>
    [
      errors > 0 && `${errors} ${errors === 1 ? 'problem' : 'problems'}`,
      warnings > 0 && `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
    ]
      .filter(Boolean)
      .join(', '),
  checkFailed: 'The script could not be checked here. Save it, and the service checks it.',
  findings: 'Problems of the script',
  findingAt: (line: number, code: string) => `Line ${line} · ${code}`,
  difference: 'Differences of the scripts',
  same: 'The scripts are equal.',
} as const
