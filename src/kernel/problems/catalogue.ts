/**
 * Every problem code with its kind, its meaning and the next step. A code without a row does not compile, and a code is
 * never used for something else: what is not raised any more moves to the retired codes. docs/reference/errors.md is
 * generated from here.
 */
import { administrationProblems } from './administration.ts'
import { controlStoreProblems } from './control-store.ts'
import { endpointProblems } from './endpoints.ts'
import type { ProblemRow, ProblemRows } from './kinds.ts'
import { peopleProblems } from './people.ts'
import { queryProblems } from './queries.ts'
import { refreshProblems } from './refreshes.ts'
import { scriptProblems } from './scripts.ts'
import { servingProblems } from './serving.ts'
import { settingsProblems } from './settings.ts'
import { snapshotProblems } from './snapshots.ts'
import { tokenProblems } from './tokens.ts'

const rows = {
  ...queryProblems,
  ...servingProblems,
  ...tokenProblems,
  ...administrationProblems,
  ...endpointProblems,
  ...scriptProblems,
  ...controlStoreProblems,
  ...peopleProblems,
  ...refreshProblems,
  ...snapshotProblems,
  ...settingsProblems,
}

export type ProblemCode = keyof typeof rows

export const problemCatalogue: { readonly [Code in ProblemCode]: ProblemRow } = rows

type ProblemStage = { readonly title: string; readonly rows: ProblemRows }

/** In the order of the reference page. */
export const problemStages: readonly ProblemStage[] = [
  { title: 'QRY: queries', rows: queryProblems },
  { title: 'SRV: serving requests', rows: servingProblems },
  { title: 'AUT: keys of tokens', rows: tokenProblems },
  { title: 'ADM: the admin API', rows: administrationProblems },
  { title: 'END: endpoints and their runs', rows: endpointProblems },
  { title: 'SCR: the script commands', rows: scriptProblems },
  {
    title: 'DIR1 to DIR3, DIR5: the control store, accounts, endpoints and secrets',
    rows: controlStoreProblems,
  },
  { title: 'DIR4, DIR6 to DIR8: people, notifications, history and audit trail', rows: peopleProblems },
  { title: 'ING: refreshes and demo extracts', rows: refreshProblems },
  { title: 'SNP: snapshots', rows: snapshotProblems },
  { title: 'CFG: settings and key files', rows: settingsProblems },
]

/** What a code meant that nothing raises any more. Such a code never gets a new meaning. */
export const retiredCodes: Readonly<Record<string, string>> = {
  END111: 'The secret that signs deliveries was unknown, inactive or expired. SRV133 says so now.',
}
