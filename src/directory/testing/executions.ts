/** A run with a value in every member, for the tests of the history. */
import type { Execution } from '../../schema/execution-shapes.ts'

export const REPORTS = '11111111-1111-4111-8111-111111111111'
export const HOOKS = '22222222-2222-4222-8222-222222222222'

export const execution = (changes: Partial<Execution> = {}): Execution => ({
  id: crypto.randomUUID(),
  type: 'DynamicEndpoint',
  status: 'Success',
  endpointId: REPORTS,
  endpointName: 'Reports',
  category: 'OrganizationReport',
  version: 3,
  method: 'POST',
  path: '/api/dynamic/v1/reports/spend',
  responseStatus: 200,
  startedAt: '2026-03-01T10:00:00.000Z',
  completedAt: '2026-03-01T10:00:00.012Z',
  queuedMs: 0.25,
  executionTimeMs: 11.5,
  statementCount: 100,
  loopCount: 7,
  principalId: 'user:ann@agency.example',
  requestId: 'request-1',
  rerunOf: null,
  errorMessage: null,
  requestCount: 1,
  recorded: 'full',
  request: {
    method: 'POST',
    path: '/api/dynamic/v1/reports/spend',
    queryString: '?year=2026',
    headers: { accept: '*/*', authorization: '[redacted]' },
    params: { report: 'spend' },
    body: '{"größe":"\u2028"}',
    truncated: false,
  },
  response: {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"rows":[1,2]}',
    truncated: true,
  },
  log: [{ time: '2026-03-01T10:00:00.004Z', level: 'Warning', message: 'No cost centre' }],
  error: null,
  cancellationReason: null,
  sent: { httpRequests: 2, httpSentBytes: 30, httpReadBytes: 400, mails: 1, mailRecipients: 3 },
  read: {
    clientCount: 1,
    clientNumbers: ['C01234'],
    secretCount: 1,
    secretNames: ['erp-token'],
    functions: ['QueryBookings', 'GetSecret'],
  },
  ...changes,
})

export const failed = (message: string): Partial<Execution> => ({
  status: 'Failed',
  responseStatus: 500,
  errorMessage: message,
  error: { code: 'JM5900', message, line: 3, column: 7, limit: null },
})
