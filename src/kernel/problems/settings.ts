import type { Explanations } from './kinds.ts'

/** CFG1xx: settings. CFG20x: key files, and settings that something needs. CFG21x: data folders of commands. CFG22x: the command line. */
export const settingsExplanations = {
  CFG101: {
    meaning: 'One or more settings are unknown or have a wrong value.',
    action: 'Correct every line of the message. docs/reference/settings.md describes each setting.',
  },
  CFG102: {
    meaning: 'This user may not read the data folder, in which the configuration file lies.',
    action: 'Run the command as the owner of the folder.',
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
  CFG203: {
    meaning:
      'The store is on PostgreSQL, where several nodes open the same secrets, and they have no key in common.',
    action: 'Set `TRIPFOLIO_SECRET_KEY` to the same value on every node.',
  },
  CFG204: {
    meaning: 'A script sends mail, but no mail server is set.',
    action: 'Set `smtpUrl` and `smtpFrom`. Trials send no mail and need neither.',
  },
  CFG210: {
    meaning: 'The command works on an installation, and the folder is not the data folder of one.',
    action: 'Name the data folder of the service with --data or TRIPFOLIO_DATA.',
  },
  CFG220: {
    meaning: 'The command line does not fit the command: an option or argument is unknown, missing or wrong.',
    action: 'Read the help that the message names, and correct the call.',
  },
  CFG221: {
    meaning: 'The name of a group of commands came without one of its commands.',
    action: 'Add one of the commands that the message lists.',
  },
  CFG222: {
    meaning: 'A command failed in a way that it does not foresee.',
    action: 'Report it as a defect, with what was written to standard error.',
  },
  CFG223: {
    meaning:
      'Standard output cannot be written, for example because its disk is full. The command was carried out.',
    action: 'Give the output a place with room.',
  },
  CFG224: {
    meaning:
      'A key, a psk or a token was issued, but standard output could not be written, so nobody has it.',
    action: 'Issue another one with the command that the message names.',
  },
  CFG225: {
    meaning: '`schedule resume` got the name of an endpoint without that of a schedule.',
    action: 'Name the schedule too, or neither of them to end `schedule hold`.',
  },
} satisfies Explanations
