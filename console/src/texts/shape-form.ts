/** Texts of forms that are made from shapes. */
export const shapeFormTexts = {
  none: 'None',
  byDefault: 'By default',
  yes: 'Yes',
  no: 'No',
  onePerLine: 'One per line.',
  use: (what: string) => `Use: ${what}`,
  add: (what: string) => `Add to ${what}`,
  remove: (what: string, number: number) => `Remove ${what} ${number}`,
  item: (what: string, number: number) => `${what} ${number}`,
  notJson: 'This is not JSON, so it is saved as a text.',
} as const
