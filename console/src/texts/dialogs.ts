/** Texts of dialogs. */
export const dialogTexts = {
  close: 'Close',
  notLoaded: 'It cannot be shown',
  cancel: 'Cancel',
  save: 'Save',
  typeToConfirm: (name: string) => `Type ${name} to confirm`,
  changedMeanwhile: 'Somebody has changed this since you read it, so nothing was changed now.',
  member: 'Member',
  before: 'As you read it',
  now: 'Now',
  loadAgain: 'Load it again',
  shownOnce: 'This is shown only now. Save it in a safe place before you close this window.',
  hasSaved: 'I have saved it',
} as const
