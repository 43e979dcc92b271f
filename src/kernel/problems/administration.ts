import type { Explanations } from './kinds.ts'

/** ADM1xx: the admin API. */
export const administrationExplanations = {
  ADM101: {
    meaning: 'Admin API: the token is missing or not valid.',
    action:
      'Send a valid token in the Authorization header. `tripfolio token issue` makes one for development.',
  },
  ADM102: {
    meaning: 'Admin API: the token does not have the role admin.',
    action: 'Ask for a token with this role. The setting jwtRolesClaim says where roles are read.',
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
} satisfies Explanations
