import type { Explanations } from './kinds.ts'

/** DIR45x: commands of operators on a data folder. DIR85x: the machine under it. */
export const backupExplanations = {
  DIR450: {
    meaning: 'A restore into this data folder was ended before it was done, so the folder is incomplete.',
    action: 'Run `tripfolio restore` with the same backup again, or empty the folder.',
  },
  DIR451: {
    meaning: 'A command that removes or accepts something for good was not confirmed.',
    action: 'Answer the question with y, or give --yes where there is no terminal.',
  },
  DIR452: {
    meaning: 'A service is running on the data folder.',
    action: 'Stop the service, then run the command again.',
  },
  DIR453: {
    meaning: 'The folder for a backup exists already.',
    action: 'Name a folder that does not exist yet. Nothing is ever overwritten.',
  },
  DIR454: {
    meaning: 'The folder is no backup, or a file of the backup is missing or altered.',
    action: 'Use another backup. Nothing was restored.',
  },
  DIR455: {
    meaning: 'The data folder to restore into is not empty.',
    action: 'Restore into an empty or new folder, or move the files away first.',
  },
  DIR456: {
    meaning: 'A file of a backup or of a restored folder cannot be read or written.',
    action: 'Follow the hint in the message. A backup that failed leaves nothing under its name.',
  },
  DIR457: {
    meaning: 'No value was given for a secret.',
    action: 'Type the value when you are asked, or send it through standard input.',
  },
  DIR458: {
    meaning: 'There is no secret with this name.',
    action: 'Take a name from `tripfolio secret list`.',
  },
  DIR463: {
    meaning: 'A restore of another backup into this data folder was ended before it was done.',
    action:
      'Run `tripfolio restore` with that backup again, restore into another folder, or empty the folder.',
  },
  DIR464: {
    meaning: 'A backup was stopped by Ctrl-C or SIGTERM. It left nothing behind.',
    action: 'Run `tripfolio backup` again.',
  },
  DIR465: {
    meaning: 'Another `tripfolio store copy` into the same database is running.',
    action: 'Wait until it has ended, then run the command again: it compares what is there.',
  },
  DIR466: {
    meaning: 'The database of a `tripfolio store copy` holds stores with other content. Nothing was changed.',
    action: 'Copy into a database in which no service or command of Tripfolio has written yet.',
  },
  DIR467: {
    meaning:
      'The database of a `tripfolio store copy` does not return the rows that were written. The copy was undone.',
    action: 'Look for triggers or rules that somebody has added to the tables, then run the command again.',
  },
  DIR468: {
    meaning: '`tripfolio store copy` was not told which database to copy to.',
    action: 'Give --to, or the setting `store`.',
  },
  DIR469: {
    meaning: '`account seal` was given neither an account nor `--all`, or both.',
    action: 'Name one account, or give `--all`.',
  },
  DIR850: {
    meaning:
      'The temporary folder of the machine (TMPDIR, else /tmp) is missing, full or may not be written. Input and stored data are unharmed.',
    action: 'Give it room and the user the right to write there, or set TMPDIR to another folder.',
  },
  DIR851: {
    meaning:
      'The system refuses a file or folder: its disk is full or read-only, a quota is used up, or the user lacks the right. Input and stored data are unharmed.',
    action: 'Follow the hint in the message, which names the place and the reason.',
  },
  DIR852: {
    meaning: 'The process, or the whole system, has as many files open as it may.',
    action: 'Raise the limit of open files (ulimit -n, LimitNOFILE), then run the command again.',
  },
} satisfies Explanations
