/** What can go wrong with the control store (DIR1xx), with the accounts in it (DIR2xx), and with the data folder (DIR45x). */
import { basename, dirname } from 'node:path'
import { probeFolder } from '../kernel/files/probe-folder.ts'
import type { StorageFault } from '../kernel/files/storage-fault.ts'
import { Problem } from '../kernel/problem.ts'

export const HISTORY_FILE = 'history.db'

/** What messages call a store: the file of the history is no control store. */
const storeAt = (path: string): 'history' | 'control store' =>
  basename(path) === HISTORY_FILE ? 'history' : 'control store'

export const storeNotOpened = (path: string, cause: unknown) =>
  new Problem('DIR101', `Cannot open or create the ${storeAt(path)} ${path}: ${reasonOf(cause)}`, {
    hint: 'The data folder (--data) must be a folder in which this user may write.',
    cause,
  })

/** The advice is in the message, because the log of a thread that ends has no hints. */
export const storeLacksFiles = (path: string, code: string, cause: unknown) =>
  new Problem(
    'DIR101',
    `Cannot open the ${storeAt(path)} ${path}: no more files can be opened (${code}); raise the limit (ulimit -n, LimitNOFILE)`,
    {
      hint: 'Start the service again under the higher limit: each connection and each loaded file needs one.',
      cause,
    },
  )

export const notAStore = (path: string, cause: unknown) =>
  new Problem('DIR102', `${path} is not a ${storeAt(path)}, or is damaged: ${reasonOf(cause)}`, {
    hint: 'Move the file away together with its -wal and -shm companions, then restore a backup. Without a backup, the service starts with an empty store.',
    cause,
  })

export const storeIsNewer = (path: string, migration: string) =>
  new Problem(
    'DIR103',
    `The ${storeAt(path)} ${path} was changed by a newer version (step '${migration}' is unknown)`,
    {
      hint: 'Run the newer version, restore a backup from before the upgrade, or put back the copy that it made beside the file.',
    },
  )

export const storeIsOlder = (path: string, step: string) =>
  new Problem(
    'DIR853',
    `The ${storeAt(path)} ${path} is of an older version (its last step is '${step}'), and this command changes no tables`,
    {
      hint: 'Bring it up to date with `tripfolio store migrate`, or by starting the service; an older version cannot read it then. To leave it as it is, run the command of the older version.',
    },
  )

export const storeIsBusy = (path: string, cause: unknown) =>
  new Problem('DIR104', `The ${storeAt(path)} ${path} is in use by another process and did not become free`, {
    hint: 'Try again; if that fails too, look for a process that holds the file open.',
    cause,
  })

export const storeFailed = (path: string, cause: unknown) =>
  new Problem('DIR105', `The ${storeAt(path)} ${path} cannot be read or written: ${reasonOf(cause)}`, {
    hint: 'Check the free space and the health of the disk, and that this user may write the file.',
    cause,
  })

export const noControlStore = (path: string) =>
  new Problem('DIR106', `There is no control store at ${path}`, {
    hint: 'Check --data and --store, or create the first account with `tripfolio account create`. If the service keeps its stores in PostgreSQL, give this command the same setting: --store or TRIPFOLIO_STORE.',
  })

export const migrationFailed = (path: string, cause: unknown) =>
  new Problem('DIR107', `The ${storeAt(path)} ${path} could not be brought up to date: ${reasonOf(cause)}`, {
    hint: 'The store is unchanged. Check that the file was made by this program.',
    cause,
  })

/** The store itself is sound, but the disk is full or this user may not write or create the file. */
class NotWritableProblem extends Problem {
  declare readonly code: 'DIR108' | 'DIR109'
}

/** For callers, who cannot mend it: the cause holds the path and the reason, and the log has them once. */
export const storeNotWritable = (path: string, cause: unknown) =>
  new NotWritableProblem('DIR108', 'Changes cannot be saved at the moment; what is stored is unharmed', {
    hint: 'Try again later. The log of the service and /readyz say what its operator has to do.',
    cause: new UnwritableFile(path, cause),
  })

class UnwritableFile extends Error {
  readonly path: string

  constructor(path: string, cause: unknown) {
    super(`${path} cannot be written: ${reasonOf(cause)}`, { cause })
    this.path = path
  }
}

/** For operators: which file, what the file system reports, and what to do. */
export function whyNotWritable({ message, hint, cause }: Problem): string {
  if (!(cause instanceof UnwritableFile)) return hint === undefined ? message : `${message}. ${hint}`
  const fault = probeFolder(dirname(cause.path))
  if (fault === undefined) return cause.message
  return `${cause.path} cannot be written: ${fault.reason} (${fault.code}). ${fault.hint}`
}

/** The file does not exist, and the disk is full or this user may not create it. */
export const storeNotMade = (path: string, { code, reason, hint }: StorageFault, cause: unknown) =>
  new NotWritableProblem('DIR109', `Cannot make ${path}: ${reason} (${code})`, { hint, cause })

export const isNotWritable = (error: unknown): error is NotWritableProblem =>
  error instanceof NotWritableProblem

export const unknownAccount = (reference: string, nearest: string | undefined) =>
  new Problem('DIR201', `No account matches '${reference}'`, {
    hint:
      nearest === undefined
        ? 'Give the id, at least its first four characters, or the exact name; `tripfolio account list` shows them.'
        : `Did you mean '${nearest}'?`,
  })

export const ambiguousAccount = (
  reference: string,
  matches: readonly { readonly id: string; readonly name: string }[],
) =>
  new Problem('DIR202', `'${reference}' matches ${matches.length} accounts`, {
    hint: `Give the full id of one of: ${matches.map(({ id, name }) => `${id} (${name})`).join(', ')}.`,
  })

export const badAccountText = (what: string, longest: number, found: string) =>
  new Problem(
    'DIR203',
    `Expected ${what} of 1 to ${longest} characters, not only blanks, without tabs, line breaks and other control characters, found '${found.slice(0, 80)}'`,
  )

export const badNotes = (longest: number, found: number) =>
  new Problem('DIR316', `Expected notes of at most ${longest} characters, found ${found}`)

export const badExpiry = (found: string, why: string) =>
  new Problem(
    'DIR204',
    `Expected a future date or date-time at which the key expires, found '${found}', ${why}`,
    {
      hint: 'Write 2030-06-30 (its first minute, UTC) or 2030-06-30T17:00+10:00.',
    },
  )

type NamedRow = { readonly id: string; readonly name: string; readonly client_number: string }

const INSPECT =
  'Run `tripfolio store verify`, which lists such accounts. `tripfolio account seal` accepts one after you have looked at it; `tripfolio account delete` removes it.'

export const accountAltered = ({ id, name }: NamedRow) =>
  new Problem(
    'DIR205',
    `Account ${id} (${name}) was changed in the database by something else than Tripfolio, or is damaged: its row does not match its checksum`,
    { hint: INSPECT },
  )

export const accountsOfOtherKey = () =>
  new Problem(
    'DIR206',
    'Expected the secret key with which the accounts of this store are sealed, found another one or none',
    {
      hint: 'Give commands and services the same settings (TRIPFOLIO_SECRET_KEY, or secretKey in tripfolio.json), or the file secret.key of the data folder. If the key is lost, look through `tripfolio account list`, then run `tripfolio account seal --all` with the new key.',
    },
  )

export const clientOfTrailDiffers = ({ id, name, client_number }: NamedRow, madeFor: string) =>
  new Problem(
    'DIR207',
    `Account ${id} (${name}) is of client '${client_number}', but the trail of changes says that it was made for client '${madeFor}'`,
    {
      hint: 'Nothing was sealed. The client of an account never changes, so one of the two is damaged: delete the account and create another one.',
    },
  )

/** A warning. @param nearest the most similar number of the snapshot */
export const clientNotInSnapshot = (clientNumber: string, snapshot: string, nearest: string | undefined) =>
  new Problem('DIR460', `The current snapshot ${snapshot} has no client '${clientNumber}'`, {
    hint: `${nearest === undefined ? '' : `Did you mean '${nearest}'? `}The account was created. Its lists are empty until a refresh brings records of this client.`,
  })

/** A warning. @param others the ids of the accounts that have the name already */
export const accountNameTaken = (name: string, others: readonly string[]) =>
  new Problem('DIR461', `Another account is called '${name}': ${others.join(', ')}`, {
    hint: 'The account was created. Commands have to name these accounts by their ids, because the name is ambiguous.',
  })

export const restoreUnfinished = (dataFolder: string) =>
  new Problem(
    'DIR450',
    `A restore into ${dataFolder} was ended before it was done: the folder is incomplete`,
    {
      hint: 'Run `tripfolio restore` with the same backup again, or empty the folder.',
    },
  )

export const serviceIsRunning = (dataFolder: string) =>
  new Problem('DIR452', `A service is running on ${dataFolder}`, {
    hint: 'Stop the service, then run the command again.',
  })

export const copyRunning = (database: string) =>
  new Problem('DIR465', `Another copy of stores into ${database} is running`, {
    hint: 'Wait until it has ended, then run the command again: it compares what is there.',
  })

/** @param tables which tables differ, and by how many rows */
export const otherContent = (database: string, tables: readonly string[]) =>
  new Problem('DIR466', `Stores in ${database} have other content: ${tables.join(', ')}`, {
    hint: 'Nothing was changed. Copy into a database in which no service or command of Tripfolio has written yet.',
  })

export const copyDiffers = (database: string, table: string, written: number, found: number) =>
  new Problem(
    'DIR467',
    `${database} does not return what was written into table '${table}': expected ${written} rows with the same content, found ${found} rows`,
    { hint: 'The copy was undone. Look for triggers or rules that somebody has added to the tables.' },
  )

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
