/** The workloads by name, in the order in which they run. */
import type { Workload } from '../workload.ts'
import { apply } from './apply.ts'
import { changes } from './changes.ts'
import { coldFilters } from './cold-filters.ts'
import { endpointFairness } from './endpoint-fairness.ts'
import { endpointReports } from './endpoint-reports.ts'
import { endpointWorkloads } from './endpoints.ts'
import { exports } from './exports.ts'
import { exportsBesidePages } from './exports-beside-pages.ts'
import { growth } from './growth.ts'
import { loadShedding } from './load-shedding.ts'
import { memory } from './memory.ts'
import { nodes } from './nodes.ts'
import { pageWorkloads } from './pages.ts'
import { postgres } from './postgres.ts'
import { refresh } from './refresh.ts'
import { script } from './script.ts'
import { scriptMemory } from './script-memory.ts'
import { select } from './select.ts'
import { stalls } from './stalls.ts'
import { startUp } from './start-up.ts'
import { web } from './web.ts'

export const workloads: Readonly<Record<string, Workload>> = {
  ...pageWorkloads,
  export: exports,
  select,
  'exports-beside-pages': exportsBesidePages,
  postgres,
  refresh,
  changes,
  stalls,
  'load-shedding': loadShedding,
  'cold-filter': coldFilters,
  apply,
  growth,
  memory,
  'start-up': startUp,
  nodes,
  web,
  script,
  'script-memory': scriptMemory,
  ...endpointWorkloads,
  'endpoint-fairness': endpointFairness,
  'endpoint-reports': endpointReports,
}
