/** A run that belongs to no endpoint: it makes the code of runs fast before the first caller comes. A trial, so nobody records it. */
import { anonymous } from '../../kernel/user.ts'
import { TRIAL } from '../../schema/execution-shapes.ts'
import { newExecutionId } from './execution-id.ts'
import type { RunJob } from './run-states.ts'

/** Stands where runs of endpoints have the id of the endpoint. */
export const REHEARSED = ''

export const rehearsal = (): RunJob => ({
  executionId: newExecutionId(Date.now()),
  type: TRIAL,
  endpoint: { id: REHEARSED, name: 'warm-up', category: 'Utility', limits: {}, allowedHosts: [] },
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
