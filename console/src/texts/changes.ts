/** Texts of what changed. */
export const changesTexts = {
  title: 'What changed',
  hint: 'A token names the data of a moment. Save the token of today, and ask with it later what has changed since.',
  list: 'Records',
  token: 'Token',
  tokenHint: 'From an earlier visit or from a program. Without one every record counts as added.',
  show: 'Show the changes',
  next: 'The token of now',
  copyToken: 'Copy the token',
  counts: (added: string, changed: string, removed: string) =>
    `${added} added, ${changed} changed, ${removed} removed`,
  none: 'Nothing has changed since.',
  first: (count: string) => `There are ${count} records now. Save the token below, and use it next time.`,
  kinds: { added: 'Added', changed: 'Changed', removed: 'Removed' },
  kind: 'Change',
  key: 'Record',
  shown: (shown: string, total: string) => `The first ${shown} of ${total}.`,
  failed: 'The changes cannot be shown',
  gone: 'The server does not know any more what changed since this token, or it belongs to other records. Read everything again and save the new token.',
  download: 'Download as CSV',
} as const
