import type { Explanations } from './kinds.ts'

/** DIR1xx: the files of the control store and of the history. DIR2xx: accounts. DIR3xx: endpoints. DIR5xx: secrets. */
export const controlStoreExplanations = {
  DIR101: {
    meaning: 'The control store or the history cannot be opened or created.',
    action: 'Name a data folder with --data or TRIPFOLIO_DATA that the user of the service may write to.',
  },
  DIR102: {
    meaning: 'The file is not a control store or a history, or is damaged.',
    action:
      'Move it away together with its -wal and -shm companions, then restore a backup. The service itself moves a history away.',
  },
  DIR103: {
    meaning: 'The control store was changed by a newer version of the program.',
    action: 'Run the newer version, or restore a backup from before the upgrade.',
  },
  DIR853: {
    meaning:
      'A store is of an older version. Only `serve`, `ingest` and `store migrate` bring stores up to date. Nothing was changed.',
    action: 'Run `tripfolio store migrate`, or start the service; or run the command of the older version.',
  },
  DIR104: {
    meaning: 'Another process uses the control store and does not release it.',
    action: 'Try again. If that fails too, look for a process that holds the file open.',
  },
  DIR105: {
    meaning: 'The disk reports an error for the control store.',
    action: 'Check the free space, the health of the disk and the rights on the file.',
  },
  DIR106: {
    meaning: 'There is no control store in the data folder, or in the database of the setting `store`.',
    action: 'Check --data and --store, or create the first account with `tripfolio account create`.',
  },
  DIR107: {
    meaning: 'The tables of the control store could not be brought up to date. The store is unchanged.',
    action:
      'Check that the file is the control store of this program, and restore a backup if it is damaged.',
  },
  DIR108: {
    meaning: 'Changes cannot be saved at the moment. What is stored is unharmed and is still read.',
    action: 'Read in the log or at /readyz why the file cannot be written. Saving resumes by itself.',
  },
  DIR109: {
    meaning: 'A file of the control store cannot be made. The message has the reason of the file system.',
    action: 'Follow the hint in the message.',
  },
  DIR201: {
    meaning: 'No account has this id or name.',
    action: 'Give the id, at least its first four characters, or the exact name.',
  },
  DIR202: {
    meaning: 'More than one account has an id that begins like this.',
    action: 'Give the full id.',
  },
  DIR203: {
    meaning:
      'A text of an account is empty, too long or has control characters such as tabs and line breaks.',
    action: 'Shorten or correct the text that the message names.',
  },
  DIR204: {
    meaning: 'The expiry date of a key is not a date in the future.',
    action: 'Write 2030-06-30 or 2030-06-30T17:00+10:00.',
  },
  DIR205: {
    meaning:
      'The row of an account does not match its checksum: something else than Tripfolio has changed it, or it is damaged. Its key and psk are refused.',
    action:
      'Look at what `tripfolio store verify` says of it. Then accept it with `tripfolio account seal`, or delete it.',
  },
  DIR206: {
    meaning: 'The checksums of accounts were made with another secret key than the one at hand.',
    action:
      'Give the command or the service the key of the installation (TRIPFOLIO_SECRET_KEY, or secret.key in the data folder). If it is lost, look through the accounts, then run `tripfolio account seal --all`.',
  },
  DIR207: {
    meaning: 'An account that does not match its checksum names another client than the trail of changes.',
    action: 'Delete the account and create another one.',
  },
  DIR301: {
    meaning: 'No endpoint has this id or name.',
    action: 'Look it up in the list of endpoints. `tripfolio endpoint list` prints it.',
  },
  DIR302: {
    meaning: 'The endpoint has no published version of this number.',
    action: 'Use a version that the message names.',
  },
  DIR310: {
    meaning: 'Another endpoint has the same method and path.',
    action: 'Give one of the two another path. Letter case and the names of parameters make no difference.',
  },
  DIR311: {
    meaning: 'The draft was saved by another request after you read it.',
    action: 'Read the draft again, merge the two changes, and send its new revision.',
  },
  DIR312: {
    meaning: 'The draft does not differ from the published version.',
    action: 'Save a change first. To make an inactive endpoint answer calls again, activate it.',
  },
  DIR313: {
    meaning: 'Another endpoint has the same name, apart from letter case.',
    action: 'Choose another name.',
  },
  DIR314: {
    meaning: 'More than one endpoint has an id that begins like this.',
    action: 'Give the full id.',
  },
  DIR315: {
    meaning: 'The endpoint cannot be activated, because it has no published version.',
    action: 'Publish it. The first publication activates it as well.',
  },
  DIR316: {
    meaning: 'The notes of an account are too long.',
    action: 'Shorten them.',
  },
  DIR317: {
    meaning: 'A directory file cannot be imported. The faults name line and column; nothing was changed.',
    action: 'Correct the lines, and try it with a dry run first.',
  },
  DIR318: {
    meaning: 'A directory file cannot be read.',
    action: 'Give a CSV file in UTF-8 that may be read.',
  },
  DIR330: {
    meaning: 'The path of an endpoint is malformed.',
    action: 'Write a path such as reports/spend/{client}, without slashes at its ends.',
  },
  DIR331: {
    meaning: 'The note of a publication is too long.',
    action: 'Shorten the note to the length that the message allows.',
  },
  DIR530: {
    meaning: 'The name of a secret is malformed.',
    action: 'Use 1 to 100 printable characters without blanks at the ends.',
  },
  DIR531: {
    meaning: 'A new secret has no value.',
    action: 'Send a value.',
  },
  DIR532: {
    meaning: 'The expiry time of a secret is in the past.',
    action: 'Give a later time, or null for a secret that does not expire.',
  },
  DIR533: {
    meaning: 'The secret that was sent has one or more wrong members.',
    action: 'Correct everything that `details` lists.',
  },
  DIR462: {
    meaning:
      'The value of a secret was to be sealed with another key than that of the service, which could not open it.',
    action:
      'Give the command the settings of the service (TRIPFOLIO_SECRET_KEY, or secretKey in tripfolio.json). If the key is lost, delete all secrets, start the service with the new key, and set them again.',
  },
  DIR560: {
    meaning: 'A secret was sealed with another key, or is damaged.',
    action:
      'Give the service the key that sealed it (TRIPFOLIO_SECRET_KEY or secret.key). If the key is lost, delete the secrets that it sealed, and set them again.',
  },
  DIR561: {
    meaning: 'A command asked for the value of a secret, which only the running service can open.',
    action: 'Use the secret in an endpoint of the running service, or change it through the admin API.',
  },
} satisfies Explanations
