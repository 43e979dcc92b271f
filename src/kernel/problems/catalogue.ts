/**
 * What every problem code means and what to do about it, for docs/reference/errors.md. The kind of each code is in
 * `codes.ts`. A code without an explanation does not compile.
 */
import { administrationExplanations } from './administration.ts'
import { backupExplanations } from './backups.ts'
import type { ProblemCode } from './codes.ts'
import { controlStoreExplanations } from './control-store.ts'
import { endpointExplanations } from './endpoints.ts'
import type { Explanation, Explanations } from './kinds.ts'
import { outboundExplanations } from './outbound.ts'
import { peopleExplanations } from './people.ts'
import { postgresExplanations } from './postgres.ts'
import { queryExplanations } from './queries.ts'
import { refreshExplanations } from './refreshes.ts'
import { scheduleExplanations } from './schedules.ts'
import { scriptExplanations } from './scripts.ts'
import { servingExplanations } from './serving.ts'
import { settingsExplanations } from './settings.ts'
import { snapshotExplanations } from './snapshots.ts'
import { tokenExplanations } from './tokens.ts'

export const explanations: { readonly [Code in ProblemCode]: Explanation } = {
  ...queryExplanations,
  ...servingExplanations,
  ...tokenExplanations,
  ...administrationExplanations,
  ...endpointExplanations,
  ...scheduleExplanations,
  ...scriptExplanations,
  ...controlStoreExplanations,
  ...peopleExplanations,
  ...backupExplanations,
  ...refreshExplanations,
  ...snapshotExplanations,
  ...postgresExplanations,
  ...outboundExplanations,
  ...settingsExplanations,
}

type ProblemStage = { readonly title: string; readonly rows: Explanations }

/** In the order of the reference page. */
export const problemStages: readonly ProblemStage[] = [
  { title: 'QRY: queries', rows: queryExplanations },
  { title: 'SRV: serving requests', rows: servingExplanations },
  { title: 'AUT: keys of tokens', rows: tokenExplanations },
  { title: 'ADM: the admin API', rows: administrationExplanations },
  { title: 'END: endpoints and their runs', rows: endpointExplanations },
  { title: 'END17, DIR47 and DIR84: schedules, and what operators hold', rows: scheduleExplanations },
  { title: 'SCR: the script commands', rows: scriptExplanations },
  {
    title: 'DIR1 to DIR3, DIR5: the control store, accounts, endpoints and secrets',
    rows: controlStoreExplanations,
  },
  {
    title: 'DIR4, DIR6 to DIR8: people, warnings about accounts, notifications, history and audit trail',
    rows: peopleExplanations,
  },
  { title: 'DIR45 and DIR85: backups, restores, deletions and the machine', rows: backupExplanations },
  { title: 'ING and DIR49: refreshes and demo extracts', rows: refreshExplanations },
  { title: 'SNP: snapshots', rows: snapshotExplanations },
  { title: 'PGS: PostgreSQL servers', rows: postgresExplanations },
  { title: 'OUT: requests that the service sends', rows: outboundExplanations },
  { title: 'CFG: settings, key files and the command line', rows: settingsExplanations },
]

/** The meaning of codes that are not raised any more. They never get a new meaning. */
export const retiredCodes: Readonly<Record<string, string>> = {
  AUT101: 'Both jwtKeys and jwtSecret were set. CFG101 says so now.',
  AUT102: 'The URL in jwtKeys was not a safe source of keys. CFG101 says so now.',
  END111: 'The secret that signs deliveries was unknown, inactive or expired. SRV133 has replaced it.',
}
