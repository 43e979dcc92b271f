/**
 * Problems that the HTTP edge itself raises, before or instead of a use case: codes SRV1xx. Those of dynamic endpoints are in
 * dynamic/problems.ts. A parameter that cannot be decoded is a QueryProblem, like the errors of the query languages.
 */
import { Problem, type ProblemCode, QueryProblem } from '../kernel/problem.ts'

/**
 * @param hasReference false when /docs is for operators only
 * @param nearest the address that was probably meant
 */
export const routeNotFound = (hasReference = true, nearest?: string) => {
  const reference = hasReference ? '; /docs lists those that exist' : ''
  return new Problem(
    'SRV101',
    `There is no such address here${nearest === undefined ? reference : `; the nearest is ${nearest}`}`,
  )
}

export const PARAMETERS_IN_ADDRESS = 'parameters belong in the address; with curl add -G'

/** @param isForm whether the body probably has the parameters of a list */
export const methodNotAllowed = (method: string, allowed: string, isForm = false) =>
  new Problem(
    'SRV102',
    `${method} is not supported here; use one of ${allowed}${isForm ? `; ${PARAMETERS_IN_ADDRESS}` : ''}`,
  )

/** `curl -X GET -d 'filter=...'`: without its parameters the request would return every record. */
export const bodyInsteadOfParameters = (method: string) =>
  new QueryProblem(
    'SRV134',
    { parameter: 'body' },
    `Expected no body with ${method}, found one; ${PARAMETERS_IN_ADDRESS}`,
  )

export const requestLineTooLong = (limit: number) =>
  new Problem('SRV103', `The request line is longer than ${limit} bytes; shorten the query`)

export const bodyTooLarge = () => new Problem('SRV104', 'The request body is too large; none is needed here')

/** For routes that take a body. */
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

export const expectationFailed = () => new Problem('SRV109', 'The only supported expectation is 100-continue')

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

export const cannotListenForOperators = (host: string, port: number, cause: NodeJS.ErrnoException) =>
  new Problem(
    'SRV251',
    cause.code === 'EADDRINUSE'
      ? `Port ${port} of ${host}, the address for operators, is already in use`
      : `Cannot listen for operators on port ${port} of ${host}: ${cause.message}`,
    { hint: 'Choose another address or port in operatorListen (TRIPFOLIO_OPERATOR_LISTEN).', cause },
  )

/** For a connection beyond the limits, on which only probes are answered. */
export const tooManyConnections = () =>
  new RetryProblem(
    'SRV140',
    'Too many connections are open; close those that are not in use and try again',
    5,
  )

/** Lists the formats by media type for the header, and by name for the parameter. */
export const notAcceptable = () =>
  new Problem(
    'SRV115',
    'None of the media types in Accept is available; use application/json, application/x-ndjson, text/csv or ' +
      'application/vnd.apache.arrow.stream, or the parameter $format with json, ndjson, csv or arrow',
  )

export const unsupportedMediaType = () =>
  new Problem('SRV131', 'The media type of the body is not supported; send application/json')

/** @param most how deep calls may be */
export const callsTooDeep = (most: number) =>
  new Problem(
    'SRV144',
    `Scripts call each other in a circle, or more than ${most} deep: this request came from a run that another one called, and so on`,
    { hint: 'Let one script do the work, or raise the setting scriptCallDepth.' },
  )

/** A temporary problem: the caller should wait and try again. */
export class RetryProblem extends Problem {
  override readonly name: string = 'RetryProblem'
  /** Seconds that the caller has to wait, for the header Retry-After. */
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
    `Too many requests: the limit is ${rate} per second after a burst of ${burst}; ` +
      `retry after ${inSeconds(retryAfterSeconds)}`,
    retryAfterSeconds,
  )

/** The message does not say what is wrong with the credential: the 401 before or after the wait does. */
export const tooManyFailures = (retryAfterSeconds: number) =>
  new RetryProblem(
    'SRV132',
    `Too many requests without a valid credential; retry after ${inSeconds(retryAfterSeconds)}. ` +
      'A request with a valid one is answered at once',
    retryAfterSeconds,
  )

/** The account itself uses all slots that it may have. */
export const accountBusy = (
  { runningOfOne, waitingOfOne }: { readonly runningOfOne: number; readonly waitingOfOne: number },
  retryAfterSeconds: number,
) =>
  new RetryProblem(
    'SRV117',
    `Too many requests at once: an account may have ${runningOfOne} running and ${waitingOfOne} waiting; ` +
      `send fewer at the same time, and retry after ${inSeconds(retryAfterSeconds)}`,
    retryAfterSeconds,
  )

/** Requests of other accounts use the slots. */
export const serviceBusy = (retryAfterSeconds: number) =>
  new RetryProblem(
    'SRV118',
    `The service is busy with other requests; retry after ${inSeconds(retryAfterSeconds)}`,
    retryAfterSeconds,
  )

/** The event loop of the thread is late. */
export const serviceOverloaded = (retryAfterSeconds: number) =>
  new RetryProblem(
    'SRV119',
    `The service is overloaded; retry after ${inSeconds(retryAfterSeconds)}`,
    retryAfterSeconds,
  )

const inSeconds = (seconds: number): string => `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`

/** The setting `clientWebhooks` is `refuse`. */
export const webhooksNotAllowed = () =>
  new Problem('SRV135', 'This service does not let accounts register webhooks', {
    hint: 'Ask its operator to register one.',
  })

export const unknownWebhook = (id: string) =>
  new Problem('SRV136', `This account has no webhook or delivery '${id.slice(0, 80)}'`)

export const notAJsonObject = () => new Problem('SRV137', 'Expected a JSON object as the body of the request')

export const badDeliveryParameter = (name: string, expected: string, found: string) =>
  new Problem('SRV137', `Expected ${expected} in the parameter ${name}, found '${found.slice(0, 80)}'`)

export const badLastEventId = () =>
  new Problem('SRV138', 'Expected the id of an event of this stream in the header Last-Event-ID', {
    hint: 'Leave the header out to get new events only.',
  })

export const tooManyDataStreams = (most: number, whose: string) =>
  new RetryProblem(
    'SRV139',
    `Too many streams are open: at most ${most} ${whose} may be`,
    STREAM_WAIT_SECONDS,
  )

/** Streams end after a minute. */
const STREAM_WAIT_SECONDS = 10
