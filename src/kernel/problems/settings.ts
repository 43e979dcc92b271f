import type { Explanations } from './kinds.ts'

/** CFG1xx: settings. CFG2xx: key files. */
export const settingsExplanations = {
  CFG101: {
    meaning: 'One or more settings are unknown or have a wrong value.',
    action: 'Correct every line of the message. docs/reference/settings.md describes each setting.',
  },
  CFG201: {
    meaning: 'A key file in the data folder cannot be read or created.',
    action:
      'Give the user of the service the right to write the folder, and make that user the owner of the file.',
  },
  CFG202: {
    meaning: 'A key file does not hold a key.',
    action: 'Restore the file from a backup. A new key cannot open or check what the lost key protected.',
  },
} satisfies Explanations
