/**
 * The kinds of problems. Code that has to decide something about a problem looks at its kind, never at its code. The HTTP
 * edge has one table from kinds to statuses (`http/problem-status.ts`).
 */

/** What each kind means, for docs/reference/errors.md. */
export const problemKinds = {
  // The sender of a request can correct these.
  invalid: 'The request, or a value in it, is wrong.',
  unauthenticated: 'A valid credential is required.',
  forbidden: 'The credential is valid, but it does not allow this.',
  'not-found': 'The request names something that does not exist.',
  'method-not-allowed': 'The address exists, but not with this method.',
  'not-acceptable': 'The answer cannot be given in any format that the request accepts.',
  'timed-out': 'The request did not arrive in time.',
  conflict: 'The request conflicts with the present state of the object that it names.',
  gone: 'The request names something that was removed.',
  'too-large': 'The request body is too large.',
  'uri-too-long': 'The request line is too long.',
  'precondition-failed': 'What the request changes is not as the caller has read it.',
  'unsupported-media-type': 'This address does not accept the format of the request body.',
  'expectation-failed': 'The request has an Expect header that cannot be met.',
  unprocessable: 'The request is readable, but contradicts an earlier one.',
  'precondition-required': 'The request has to say which version it changes.',
  limited: 'The caller has reached a limit of its own.',
  'headers-too-large': 'The request headers are too large.',
  'loop-detected': 'Scripts of the service call each other too deeply.',

  // Waiting helps. The service does not log these as failures.
  unavailable:
    'The service cannot do this at the moment. The state passes, or its reason is reported elsewhere.',

  // The operator of the service has to look at these.
  'storage-failure': 'Stored data cannot be used: a snapshot, or the control store.',
  damaged: 'A file of the data folder has content that cannot be used.',
  defect: 'The service itself failed. Its log has the cause.',

  // Commands, the start of the service and refreshes report these.
  settings: 'A setting is missing or wrong.',
  usage: 'A command cannot work with its arguments or its input.',
  'file-access': 'A file or folder cannot be read, made or written.',
  'extract-refused': 'The extract cannot be used. The current snapshot stays.',
  unreadable: 'A file or the mapping of an extract cannot be read. The current snapshot stays.',
  locked: 'Another process is doing the same thing.',
  interrupted: 'The work was ended before it was done.',
  script: 'A script did something that it may not do.',
} as const

export type ProblemKind = keyof typeof problemKinds

/** The credential that a 401 response asks for. */
export type Challenge = 'api-key' | 'psk-or-api-key' | 'token' | 'signature'

/** What a code means, and what the reader of the message can do next. */
export type Explanation = { readonly meaning: string; readonly action: string }

export type Explanations = Readonly<Record<string, Explanation>>
