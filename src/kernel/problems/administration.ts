import type { Explanations } from './kinds.ts'

/** ADM1xx: the admin API. */
export const administrationExplanations = {
  ADM101: {
    meaning: 'Admin API: the token is missing or not valid.',
    action:
      'Send a valid token in the Authorization header. `tripfolio token issue` makes one for development.',
  },
  ADM102: {
    meaning: 'Admin API: the token has none of the roles that may use this operation.',
    action:
      'Ask for a token with one of the roles that the message names. The setting jwtRolesClaim says where roles are read, adminRoles what they mean.',
  },
  ADM103: {
    meaning: 'Admin API: tokens cannot be checked, because the keys cannot be fetched.',
    action: 'Check that the service can reach the server in the setting jwtKeys.',
  },
  ADM104: {
    meaning: 'Admin API: the body is not JSON.',
    action: 'Send JSON in UTF-8 with the header Content-Type: application/json.',
  },
  ADM105: {
    meaning: 'Admin API: the body or a parameter has the wrong form.',
    action: 'Correct everything that `details` lists.',
  },
  ADM106: {
    meaning: 'Admin API: the body is too large.',
    action: 'Send at most as many bytes as the message says.',
  },
  ADM107: {
    meaning: 'Admin API: too many requests without a token from one address.',
    action: 'Wait as long as the header Retry-After says.',
  },
  ADM120: {
    meaning: 'Admin API: the address names an object that does not exist.',
    action: 'Look up the id in the list of these objects.',
  },
  ADM121: {
    meaning: 'Admin API: a refresh is running already.',
    action: 'Wait until it has ended. GET /api/admin/v1/snapshots/refresh shows its state.',
  },
  ADM122: {
    meaning: 'Admin API: the service has no source to refresh from.',
    action: 'Start the service with --source or TRIPFOLIO_SOURCE.',
  },
  ADM123: {
    meaning: 'Admin API: too many streams of notifications are open.',
    action: 'Close streams that are not read, and try again.',
  },
  ADM124: {
    meaning: 'Admin API: the request changes something, and has no If-Match.',
    action: 'Read the object, and send its ETag as If-Match. `If-Match: *` changes it whatever it is by now.',
  },
  ADM125: {
    meaning: 'Admin API: the object was changed since the caller read it.',
    action: 'Read it again, look at what has changed, and send the request with the new ETag.',
  },
  ADM126: {
    meaning: 'Admin API: the Idempotency-Key was sent with another request within 24 hours.',
    action: 'Use a new key for each request. Repeat a key only to repeat the same request.',
  },
  ADM127: {
    meaning:
      'Admin API: a request with this Idempotency-Key is being answered, or was cut off before its answer was known.',
    action:
      'Wait a moment and repeat it. If it stays so, look whether what you asked for was done; it probably was.',
  },
  ADM130: {
    meaning: 'The running service did not take the request of `tripfolio refresh` in time.',
    action: 'Look into the log of the service. If it is starting or stopping, try again.',
  },
  ADM131: {
    meaning: 'The service ended before the refresh that `tripfolio refresh` asked for was over.',
    action: 'Start the service, then look with `tripfolio snapshot list` whether the refresh has published.',
  },
  ADM132: {
    meaning: 'Admin API: too many streams of refreshes are open.',
    action: 'Close streams that are not read, and try again.',
  },
  ADM133: {
    meaning: 'No run with this id waits or runs at the moment.',
    action: 'Look up the id in the list of executions: the run may have ended meanwhile.',
  },
  ADM134: {
    meaning: 'Admin API: too many streams of live runs are open.',
    action: 'Close streams that are not read, and try again.',
  },
  ADM135: {
    meaning: 'No running service has answered a command about live runs.',
    action:
      'Check that the service runs on this data folder or this store. If it is starting or stopping, try again.',
  },
} satisfies Explanations
