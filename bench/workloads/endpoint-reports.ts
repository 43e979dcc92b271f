/**
 * A report of an endpoint over all bookings of a large client, in the ways that a script can make it. All run in this process
 * with the default limits of an endpoint, on one thread, and must make the same report.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OpenRecords } from '../../src/automation/host/query-records.ts'
import { createScriptRunner } from '../../src/automation/runs/run-endpoint.ts'
import type { RunJob } from '../../src/automation/runs/run-states.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { openControlStore, openHistory } from '../../src/directory/open-stores.ts'
import { anonymous } from '../../src/kernel/user.ts'
import { openScriptOutbound } from '../../src/service/script-outbound.ts'
import { oneClient, prepareDataset } from '../dataset.ts'
import { openServices } from '../open-services.ts'
import { median, rounded } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'

/** Adds up what a loop over records finds: bookings and kilometres by agency. */
const grouped = (records: string) => `
var groups = {}
foreach b in ${records} do
  var agency = b.originatingAgency ?? "none"
  var group = groups[agency]
  if group == null then
    group = {agency: agency, bookings: 0, distance: 0}
    groups[agency] = group
  end
  group.bookings += 1
  group.distance += b.totalAirDistance ?? 0
end
Data._payload = groups.values().sortByField("agency", "asc")`

type Report = {
  readonly what: string
  readonly script: (client: string) => string
  /** Reads much more than the report needs, so it shows only what that costs. */
  readonly isWasteful?: true
}

const reports: readonly Report[] = [
  {
    what: 'QueryBookings with apply',
    script: (client) => `
var found = QueryBookings("${client}", {
  apply: "groupby((originatingAgency),aggregate($count as bookings,totalAirDistance with sum as distance))"
})
Data._payload = found.groups
  .map(g => {agency: g.originatingAgency ?? "none", bookings: g.bookings, distance: g.distance ?? 0})
  .sortByField("agency", "asc")`,
  },
  {
    what: 'QueryBookings with select, and foreach',
    script: (client) =>
      grouped(`QueryBookings("${client}", {select: "originatingAgency,totalAirDistance"}).bookings`),
  },
  {
    what: 'foreach over EachBooking with select',
    script: (client) => grouped(`EachBooking("${client}", {select: "originatingAgency,totalAirDistance"})`),
  },
  {
    what: 'foreach over EachBooking, whole records and one field',
    script: (client) => grouped(`EachBooking("${client}", {select: "*,totalAirDistance"})`),
    isWasteful: true,
  },
]

/** Processor time within which a report has to be made. */
const MOST_MS = 1000

const BOOKINGS = 100_000

export async function endpointReports({ pace }: Bench): Promise<WorkloadResult> {
  const { folder, large } = await prepareDataset(oneClient(BOOKINGS))
  const services = await openServices(folder)
  const runs = await openRuns(services.records)
  try {
    return {
      what: `A report over ${BOOKINGS} bookings of one client, bookings and kilometres by agency, with the default limits of endpoints; milliseconds of processor time of the process, medians of ${4 * pace.rounds} runs in turn`,
      tables: [{ rows: await measured(runs, large.clientNumber, 4 * pace.rounds) }],
    }
  } finally {
    await runs.close()
    await services.close()
  }
}

async function measured(runs: Runs, client: string, rounds: number): Promise<readonly Row[]> {
  const [first] = reports
  const wanted = (await made(runs, first!.script(client))).body
  const times = new Map(reports.map(({ what }): [string, number[]] => [what, []]))
  for (let round = 0; round < rounds; round++) {
    for (const { what, script } of reports) {
      const { body, milliseconds } = await made(runs, script(client))
      if (body !== wanted)
        throw new Error(`${what} reports ${body.slice(0, 200)}, not ${wanted.slice(0, 200)}`)
      times.get(what)?.push(milliseconds)
    }
  }
  return reports.map(({ what, isWasteful }) => {
    const milliseconds = median(times.get(what) ?? [])
    return {
      script: what,
      'CPU ms': rounded(milliseconds),
      'us per booking': rounded((milliseconds * 1000) / BOOKINGS),
      ...(isWasteful ? {} : judgementCells([judge({ atMost: MOST_MS }, milliseconds, 'ms')])),
    }
  })
}

async function made({ run }: Runs, script: string): Promise<{ body: string; milliseconds: number }> {
  const before = process.cpuUsage()
  const { response, execution } = await run(jobOf(script))
  const { user, system } = process.cpuUsage(before)
  if (execution?.status !== 'Success') throw new Error(JSON.stringify(execution?.error))
  return { body: response.body ?? '', milliseconds: (user + system) / 1000 }
}

type Runs = {
  readonly run: ReturnType<typeof createScriptRunner>
  readonly close: () => Promise<void>
}

async function openRuns(records: OpenRecords): Promise<Runs> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-bench-reports-'))
  const store = await openControlStore(folder)
  const { notepads, close } = await openHistory(folder)
  const observe = () => undefined
  return {
    run: createScriptRunner({
      ...{
        store,
        notepads,
        records,
        outbound: openScriptOutbound(loadConfig({ env: {}, flags: { data: folder } }), store.holds),
      },
      ...{ observe, historyBodyBytes: 65_536 },
    }),
    close: async () => {
      await store.close()
      await close()
      await rm(folder, { recursive: true })
    },
  }
}

const jobOf = (script: string): RunJob => ({
  executionId: crypto.randomUUID(),
  type: 'DynamicEndpoint',
  endpoint: { id: 'report', name: 'Report', category: 'OrganizationReport', limits: {}, allowedHosts: [] },
  source: { script },
  request: {
    method: 'GET',
    path: '/api/dynamic/v1/report',
    queryString: '',
    query: {},
    headers: {},
    params: {},
    rawBody: null,
    bodyKind: 'json',
    user: anonymous,
  },
  requestId: 'bench',
  rerunOf: null,
  signatureHeaders: [],
  arrivedAt: Date.now(),
})
