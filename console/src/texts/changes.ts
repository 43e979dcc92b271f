/** Texts of what changed. */
export const changesTexts = {
  title: 'What changed',
  hint: 'Shows what was added, changed and removed since a day. A program keeps the token of its last answer instead, and misses nothing.',
  list: 'Records',
  way: 'Since',
  ways: { day: 'Since a day', token: 'Since a token' },
  day: 'Day',
  dayHint: 'From its beginning, in your time zone.',
  daysAgo: (days: number) => (days === 1 ? 'Since yesterday' : `Last ${days} days`),
  token: 'Token',
  tokenHint: 'From an earlier visit or from a program. Without one every record counts as added.',
  show: 'Show the changes',
  next: 'The token of now',
  copyToken: 'Copy the token',
  sinceMoment: (moment: string) => `Since ${moment}`,
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
  tooOld: (moment: string, oldest: string) =>
    `The server does not know any more what changed since ${moment}. The oldest moment that can be asked is ${oldest}.`,
  askOldest: 'Show the changes since then',
  noPast:
    'The server does not know what changed since that day. Choose a later one; it knows what changes from its next data on.',
  download: 'Download as CSV',
} as const
