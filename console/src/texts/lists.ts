/** Texts of tables. */
export const listTexts = {
  failed: 'The list cannot be shown',
  shown: (shown: string, total: string) => (shown === total ? `${total} in all` : `${shown} of ${total}`),
  shownSoFar: (shown: string) => `${shown} shown, and there are more`,
  notUpToDate: (why: string) => `The last answer is missing: ${why}`,
  more: 'Show more',
  actions: 'Actions',
} as const
