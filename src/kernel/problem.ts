/**
 * Failures that a caller or an operator can act on. A stage throws a problem with a stable code; only the edges turn it
 * into a response, a log line or an exit code. Anything else that is thrown is a defect. `problems/codes.ts` has the kind
 * of every code; decisions about a problem are made by its kind.
 */
import { kindOfCode, type ProblemCode } from './problems/codes.ts'
import type { ProblemKind } from './problems/kinds.ts'

export type { ProblemCode } from './problems/codes.ts'

export class Problem extends Error {
  override readonly name: string = 'Problem'
  readonly code: ProblemCode
  /** The next step for the reader of the message. */
  readonly hint: string | undefined
  /** What callers of the service read in place of message and hint, which name what only operators may know. */
  readonly forCallers: string | undefined

  constructor(
    code: ProblemCode,
    message: string,
    options: { hint?: string | undefined; cause?: unknown; forCallers?: string | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
    this.forCallers = options.forCallers
  }

  get kind(): ProblemKind {
    return kindOfCode[this.code]
  }
}

/** One of several faults of a document. */
export type ProblemDetail = {
  /** Where in the document, such as `/limits/statements`; empty for the whole. */
  readonly path: string
  readonly message: string
  /** Line and column in a script, counted from 1. */
  readonly line?: number
  readonly column?: number
}

/** All faults of a document, so that they can be corrected together. */
export class DetailedProblem extends Problem {
  override readonly name: string = 'DetailedProblem'
  readonly details: readonly ProblemDetail[]

  constructor(code: ProblemCode, message: string, details: readonly ProblemDetail[]) {
    super(code, message)
    this.details = details
  }
}

/** The query parameters of version 2, by the names the documents use (specification 4.1). */
export type QueryParameter =
  | '$filter'
  | '$apply'
  | '$orderby'
  | '$select'
  | '$page'
  | '$pageSize'
  | '$top'
  | '$skip'
  | '$count'
  | '$format'

/** A query parameter that cannot be understood: the QueryError of specification 2.7. */
export class QueryProblem extends Problem {
  override readonly name: string = 'QueryProblem'
  /** The canonical name of the parameter, or the name as the caller wrote it when it is unknown. */
  readonly parameter: string
  /** Zero-based offset into the decoded value at which reading failed. */
  readonly column: number | undefined
  /** The decoded value of the parameter. */
  readonly input: string | undefined

  constructor(
    code: ProblemCode,
    at: { parameter: string; column?: number | undefined; input?: string | undefined },
    message: string,
  ) {
    super(code, message)
    this.parameter = at.parameter
    this.column = at.column
    this.input = at.input
  }
}
