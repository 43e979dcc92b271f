/**
 * Makes the first call of an endpoint as fast as later ones: compiles the published scripts, and runs a small script through the
 * same steps as any other, so that their code is loaded and compiled. Nothing is written, recorded or logged.
 */
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import type { Soon } from '../../kernel/soon.ts'
import { anonymous } from '../../kernel/user.ts'
import { newExecutionId } from './execution-id.ts'
import type { Programs } from './programs.ts'
import type { AnsweredRun, RunJob } from './run-states.ts'

type WarmParts = {
  readonly endpoints: () => Soon<readonly PublishedEndpoint[]>
  readonly programs: Programs
  readonly answer: (job: RunJob) => Promise<AnsweredRun>
}

/** A script of average length compiles within a millisecond. Scripts that are not compiled in time are compiled by their first call. */
const COMPILE_FOR_MS = 1000

/** After as many runs, most of the code is compiled for the second time, with what the runs have shown about it. */
const RUNS = 40

/** What most scripts do: they read the request, compute, call a function of the host and answer. */
const REHEARSAL = `
var request = Data.request
var user = GetCurrentUser()
var roles = GetCurrentUserRoles()
var lines = []
var total = 0
foreach amount in request.body.amounts do
  total = total + amount
  lines.add({ "amount": amount, "label": ToUpper(Trim(" line ")) + total })
end
if total > 10 and user.isAuthenticated == false then
  Data._statusCode = 200
end
Data._payload = { "total": total, "lines": Where(lines, x => x.amount > 1), "roles": Length(roles), "path": request.path }`

/** Failures are for the first caller to see: he gets the same. */
export async function warmScripts({ endpoints, programs, answer }: WarmParts): Promise<void> {
  const until = performance.now() + COMPILE_FOR_MS
  for (const endpoint of await endpoints()) {
    if (performance.now() > until) break
    await programs({ endpoint, source: { version: endpoint.version } }).catch(() => undefined)
  }
  for (let run = 0; run < RUNS; run++) {
    const answered = await answer(rehearsal())
    await answered.record()
  }
}

/** A run that belongs to no endpoint. */
export const rehearsal = (): RunJob => ({
  executionId: newExecutionId(Date.now()),
  type: 'DynamicEndpoint',
  endpoint: { id: '', name: 'warm-up', category: 'Utility', limits: {} },
  source: { script: REHEARSAL },
  request: {
    method: 'POST',
    path: '/warm-up',
    queryString: '?a=1',
    query: { a: '1' },
    headers: { 'content-type': 'application/json', 'user-agent': 'warm-up' },
    params: {},
    rawBody: '{"amounts": [1, 2.5, 30], "name": "warm-up"}',
    bodyKind: 'json',
    user: anonymous,
  },
  requestId: null,
  rerunOf: null,
  signatureHeaders: [],
  arrivedAt: Date.now(),
})
