/**
 * What the HTTP edge itself refuses, before or instead of a use case. Codes SRV1xx, of which SRV12x are in dynamic/problems.ts; the one exception is a parameter that cannot be decoded, which
 * is a QueryProblem like any other.
 */
import { Problem, type ProblemCode, QueryProblem } from '../kernel/problem.ts'

export const routeNotFound = () =>
  new Problem('SRV101', 'There is no such address here; /docs lists those that exist')

export const methodNotAllowed = (method: string, allowed: string) =>
  new Problem('SRV102', `${method} is not possible here; use one of ${allowed}`)

export const requestLineTooLong = (limit: number) =>
  new Problem('SRV103', `The request line is longer than ${limit} bytes; shorten the query`)

export const bodyTooLarge = () => new Problem('SRV104', 'The request body is too large; none is needed here')

/** Of routes that do take a body. */
export const requestBodyTooLarge = () => new Problem('SRV104', 'The request body is too large')

export const malformedRequest = (what: string) => new Problem('SRV105', `The request is malformed: ${what}`)

export const headersTooLarge = (limit: number) =>
  new Problem('SRV106', `The request line and headers are longer than ${limit} bytes`)

export const requestTimedOut = () => new Problem('SRV107', 'The request did not arrive in time')

export const keyNotAccepted = () =>
  new Problem('SRV108', 'A valid API key is required; send it in the X-API-Key header')

export const credentialNotAccepted = () =>
  new Problem(
    'SRV113',
    'Valid credentials are required; send the psk header, or an API key in the X-API-Key header',
  )

export const expectationFailed = () =>
  new Problem('SRV109', 'The only expectation that can be met is 100-continue')

export const undecodableParameter = (parameter: string, raw: string, column: number) =>
  new QueryProblem(
    'SRV110',
    { parameter, column, input: raw },
    `Expected percent-encoded UTF-8 but found '${raw.slice(column, column + 12)}' at column ${column} of the raw value`,
  )

export const cannotListen = (host: string, port: number, cause: NodeJS.ErrnoException) =>
  new Problem(
    'SRV111',
    cause.code === 'EADDRINUSE'
      ? `Port ${port} of ${host} is already in use`
      : `Cannot listen on port ${port} of ${host}: ${cause.message}`,
    { hint: 'Choose another port with --port, or another address with --host.', cause },
  )

/** Of a connection beyond the limits, on which probes are answered and nothing else. */
export const tooManyConnections = () =>
  new RetryProblem(
    'SRV140',
    'Too many connections are open; close those that are not in use and try again',
    5,
  )

/** What can be given is told in the words of both: the parameter and the header. */
export const notAcceptable = () =>
  new Problem(
    'SRV115',
    'None of the media types in Accept can be given; use application/json, application/x-ndjson, text/csv or ' +
      'application/vnd.apache.arrow.stream, or the parameter $format with json, ndjson, csv or arrow',
  )

export const unsupportedMediaType = () =>
  new Problem('SRV131', 'The body is of a media type that is not understood here; send application/json')

/** What goes by when it is waited for. */
export class RetryProblem extends Problem {
  override readonly name: string = 'RetryProblem'
  /** What the caller has to wait, and no longer. */
  readonly retryAfterSeconds: number

  constructor(code: ProblemCode, message: string, retryAfterSeconds: number) {
    super(code, message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const tooManyRequests = (
  { rate, burst }: { readonly rate: number; readonly burst: number },
  retryAfterSeconds: number,
) =>
  new RetryProblem(
    'SRV114',
    `Too many requests: at most ${rate} per second after a burst of ${burst} are answered; ` +
      `retry after ${inSeconds(retryAfterSeconds)}`,
    retryAfterSeconds,
  )

/** Nothing of the credential: what was wrong with it was told before, or is told after the wait. */
export const tooManyFailures = (retryAfterSeconds: number) =>
  new RetryProblem(
    'SRV132',
    `Too many requests without a valid credential; retry after ${inSeconds(retryAfterSeconds)}. ` +
      'A request with a valid one is answered at once',
    retryAfterSeconds,
  )

/** The account uses all of its share. */
export const accountBusy = (
  { runningOfOne, waitingOfOne }: { readonly runningOfOne: number; readonly waitingOfOne: number },
  retryAfterSeconds: number,
) =>
  new RetryProblem(
    'SRV117',
    `Too many requests at once: at most ${runningOfOne} of an account are worked on and ${waitingOfOne} wait; ` +
      `send fewer at the same time, and retry after ${inSeconds(retryAfterSeconds)}`,
    retryAfterSeconds,
  )

/** Others use what the request waited for. */
export const serviceBusy = (retryAfterSeconds: number) =>
  new RetryProblem(
    'SRV118',
    `The service is busy with other requests; retry after ${inSeconds(retryAfterSeconds)}`,
    retryAfterSeconds,
  )

/** Its event loop is late. */
export const serviceOverloaded = (retryAfterSeconds: number) =>
  new RetryProblem(
    'SRV119',
    `The service is overloaded; retry after ${inSeconds(retryAfterSeconds)}`,
    retryAfterSeconds,
  )

const inSeconds = (seconds: number): string => `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
