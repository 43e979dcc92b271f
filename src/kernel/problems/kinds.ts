/**
 * What sort of problem a code stands for. Code that has to decide something about a problem asks for its kind, never for
 * its code. The HTTP edge has one table from kinds to statuses (`http/problem-status.ts`).
 */

/** What each kind means, for docs/reference/errors.md. */
export const problemKinds = {
  // The sender of a request can correct these.
  invalid: 'The request, or a value in it, is not what it has to be.',
  unauthenticated: 'A valid credential is required.',
  forbidden: 'The credential is valid and does not allow this.',
  'not-found': 'What the request names does not exist.',
  'method-not-allowed': 'The address exists and does not take this method.',
  'not-acceptable': 'The answer cannot be given in any format that the request accepts.',
  'timed-out': 'The request did not arrive in time.',
  conflict: 'The request does not fit the present state of what it names.',
  gone: 'What the request names existed once and was removed.',
  'too-large': 'The request body is too large.',
  'uri-too-long': 'The request line is too long.',
  'unsupported-media-type': 'The request body has a format that is not understood here.',
  'expectation-failed': 'The request has an Expect header that cannot be met.',
  limited: 'The caller has reached a limit of its own.',
  'headers-too-large': 'The request headers are too large.',

  // Waiting helps. The service does not log these as failures.
  unavailable:
    'The service cannot do this at the moment. The state passes, or its reason is reported elsewhere.',

  // Somebody who runs the service has to look at these.
  'storage-failure': 'Stored data cannot be used: a snapshot, or the control store.',
  damaged: 'A file of the data folder has content that cannot be used.',
  defect: 'The service itself failed. Its log has the cause.',

  // Commands, the start of the service and refreshes report these.
  settings: 'A setting is missing or wrong.',
  usage: 'A command cannot work with what it was given.',
  'file-access': 'A file or folder cannot be read, made or written.',
  'extract-refused': 'The extract cannot be used. The current snapshot stays.',
  unreadable: 'A file that a refresh needs cannot be used. A full or failing disk may be the reason.',
  locked: 'Another process is doing the same thing.',
  interrupted: 'The work was ended before it was done.',
  script: 'A script did something that it may not do.',
} as const

export type ProblemKind = keyof typeof problemKinds

/** The credential that a caller without a valid one is asked for. */
export type Challenge = 'api-key' | 'psk-or-api-key' | 'token' | 'signature'

/** What a code means, and the next step of the person who meets it. */
export type Explanation = { readonly meaning: string; readonly action: string }

export type Explanations = Readonly<Record<string, Explanation>>
