/** What the API refused, in the shape that its errors have (specification 2.7), or that it could not be reached. */
export class ApiProblem extends Error {
  /** 0 when no answer came. */
  readonly status: number
  /** Of a query: the parameter, and the column of the character at which reading failed, from 0. */
  readonly parameter: string | undefined
  readonly column: number | undefined
  readonly details: readonly ProblemDetail[]
  /** The run of a script that failed. */
  readonly executionId: string | undefined
  readonly requestId: string | undefined
  /** Seconds to wait before the next attempt, where the server says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, { status, body = {}, headers }: ProblemParts) {
    super(message)
    this.name = 'ApiProblem'
    this.status = status
    this.parameter = textOf(body.parameter)
    this.column = typeof body.column === 'number' ? body.column : undefined
    this.details = Array.isArray(body.details) ? (body.details as readonly ProblemDetail[]) : []
    this.executionId = textOf(body.executionId)
    this.requestId = headers?.get('x-request-id') ?? undefined
    const seconds = Number(headers?.get('retry-after') ?? Number.NaN)
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined
  }
}

export type ProblemDetail = {
  readonly message: string
  readonly line?: number
  readonly column?: number
  readonly [member: string]: unknown
}

type Body = Readonly<Record<string, unknown>>

type ProblemParts = { readonly status: number; readonly body?: Body; readonly headers?: Headers }

/** @param body the decoded body, whatever it is: a proxy may have answered */
export function problemOf(response: Response, body: unknown): ApiProblem {
  const known: Body = typeof body === 'object' && body !== null ? (body as Body) : {}
  const message =
    textOf(known.message) ?? textOf(known.error) ?? `The server answered with status ${response.status}`
  return new ApiProblem(message, { status: response.status, body: known, headers: response.headers })
}

export const unreachable = (cause: unknown): ApiProblem =>
  Object.assign(new ApiProblem('The server cannot be reached', { status: 0 }), { cause })

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
