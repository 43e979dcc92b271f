import type { Explanations } from './kinds.ts'

/** SNP1xx: building. SNP2xx: publishing. SNP3xx: reading. SNP4xx: shared snapshots. */
export const snapshotExplanations = {
  SNP101: {
    meaning: 'One client has more records of a list than one snapshot file can hold.',
    action: 'Export a shorter period, or split the client into several client numbers.',
  },
  SNP201: {
    meaning: 'The data folder cannot be written.',
    action: 'Choose another folder with --data, or give the user of the service the right to write there.',
  },
  SNP202: {
    meaning: 'A file of a snapshot cannot be written. The message has the reason of the file system.',
    action: 'Free some space, or follow the hint in the message. The current snapshot keeps serving.',
  },
  SNP203: {
    meaning:
      'A refresh lost its lock, and another one has begun, or an operator has rolled back. The earlier refresh published nothing.',
    action: 'Refresh again when the other refresh has finished.',
  },
  SNP204: {
    meaning: 'PostgreSQL has not all rows that a refresh wrote. The current snapshot stays.',
    action: 'Refresh again. If this happens again, look into the log of the PostgreSQL server.',
  },
  SNP205: {
    meaning:
      'While a refresh ran, tables of records in PostgreSQL that it builds on were dropped or emptied. The current snapshot stays.',
    action: 'Refresh again: it writes these records anew. Find out who removed the tables.',
  },
  SNP301: {
    meaning: 'A file of a snapshot is missing or altered.',
    action:
      'Run `tripfolio snapshot verify` to list damaged files, and `tripfolio ingest` to publish a new snapshot.',
  },
  SNP302: {
    meaning: "No retained snapshot has an intact file of a client's list.",
    action: 'Run `tripfolio ingest` to publish a new snapshot, and check the disk.',
  },
  SNP303: {
    meaning: 'There is no data folder with this name.',
    action: 'Name the folder of the service with --data or TRIPFOLIO_DATA.',
  },
  SNP304: {
    meaning:
      'A snapshot was written by an older or newer version in a format that this version does not read.',
    action: 'Run `tripfolio ingest` with this version, or go back to the newer one.',
  },
  SNP305: {
    meaning: 'The header Snapshot-Id names a snapshot that is not retained any more.',
    action:
      'Repeat the first request without the header, and use the Snapshot-Id of its answer from there on.',
  },
  SNP306: {
    meaning: 'A snapshot was removed before a request had read all that it needed from it.',
    action: 'Repeat the request. Raise the setting retainSnapshots if this happens often.',
  },
  SNP310: {
    meaning: 'A file of a snapshot cannot be opened because the process has reached its limit of open files.',
    action: 'Raise the limit (ulimit -n, LimitNOFILE) and start the service again.',
  },
  SNP311: {
    meaning:
      'Records cannot be read at the moment, because the storage of shared snapshots does not work or the control store is away. Clients whose records are loaded are still answered.',
    action: 'Try again after the seconds in `Retry-After`. Operators find the reason in the log.',
  },
  SNP320: {
    meaning: 'The data folder has no snapshot with this id.',
    action: 'Take an id from `tripfolio snapshot list`.',
  },
  SNP321: {
    meaning: 'No older snapshot is retained to roll back to.',
    action: 'Correct the extract and refresh. Raise the setting retainSnapshots to keep more snapshots.',
  },
  SNP322: {
    meaning: 'The snapshot to roll back to is damaged. The current snapshot stays.',
    action: 'Choose another one. `tripfolio snapshot verify` shows which snapshots are intact.',
  },
  SNP323: {
    meaning:
      'While a rollback checked its snapshot, another one became current. The rollback changed nothing.',
    action: 'Look at `tripfolio snapshot list`, and roll back again if that is still needed.',
  },
  SNP331: {
    meaning:
      'It is not known any more what changed since the token: it is older than the setting changesDays allows, or data was lost or upgraded since.',
    action:
      'Read everything again without since, and go on with the token of that answer. Operators: raise changesDays.',
  },
  SNP332: {
    meaning: 'The token of a request for changes belongs to another list or client.',
    action:
      'Use the token of an answer with the same list and the same API key, or read everything without since.',
  },
  SNP333: {
    meaning:
      'It is not known any more what changed since the moment: it is further back than the setting changesDays allows, or data was lost, restored or upgraded since.',
    action:
      'Ask since the oldest moment that the message names, or read everything again without since. Operators: raise changesDays.',
  },
  SNP401: {
    meaning:
      'The storage of shared snapshots cannot be reached, refuses, or sent something else than was stored. Clients whose records are loaded are still answered.',
    action:
      'Try again. Operators check the storage, the network and the credentials. No restart of the service is needed.',
  },
  SNP402: {
    meaning:
      'While a refresh built its shared snapshot, another refresh began, or an operator rolled back. The current snapshot stays.',
    action: 'Wait until the other refresh has ended, then refresh again.',
  },
} satisfies Explanations
