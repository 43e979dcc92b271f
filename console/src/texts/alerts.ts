/** Texts of the alerts that tell of failed runs. */
export const alertTexts = {
  failed: (endpoint: string, count: number) =>
    count === 1 ? `${endpoint} has failed` : `${endpoint} has failed ${count} times`,
  open: 'Show the last one',
  close: 'Close',
  mute: 'Do not tell of failures until I sign out',
  unmute: 'Tell of failures',
  muteShort: 'Mute until I sign out',
} as const
