import type { Explanations } from './kinds.ts'

/** PGS1xx: PostgreSQL servers. */
export const postgresExplanations = {
  PGS101: {
    meaning: 'A PostgreSQL server cannot be reached, ends connections, or starts up.',
    action:
      'Try again. Operators check that the server is running and can be reached. No restart of the service is needed.',
  },
  PGS102: {
    meaning: 'All connections of the service to a database are in use, and none became free in time.',
    action: 'Try again later. Operators look for slow queries in `pg_stat_activity`.',
  },
  PGS103: {
    meaning: 'The database stopped a statement that took longer than it may.',
    action: 'Try again later, or with a filter that selects fewer records.',
  },
  PGS104: {
    meaning: 'The database refuses the user, the password, the name of the database or the right to use it.',
    action: 'Correct the URL in the settings, or the rights in the database.',
  },
  PGS105: {
    meaning: 'The database answered with an error that trying again does not mend, such as a full disk.',
    action: 'Look into the log of the PostgreSQL server, and mend the cause there.',
  },
  PGS106: {
    meaning: 'A pooler between the service and a database lets several connections share one session.',
    action:
      'Set the pooler to session pooling, or name the server itself in the URL. Locks, settings and prepared statements belong to a session.',
  },
} as const satisfies Explanations
