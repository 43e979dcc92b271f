import type { Explanations } from './kinds.ts'

/** OUT1xx: requests that the service sends to others. */
export const outboundExplanations = {
  OUT101: {
    meaning: 'The service does not send requests to such a URL.',
    action:
      'Give a URL that begins with `https://`, without user, password and `#`. For other hosts, operators set `trustedHosts`.',
  },
  OUT102: {
    meaning: 'The host is, or resolves to, an address that is not on the public internet.',
    action: 'Give a public host. For hosts inside of the own network, operators set `trustedHosts`.',
  },
  OUT111: {
    meaning: 'The receiver of a request cannot be reached, or broke the connection.',
    action: 'Check the receiver, its name, its port and its certificate. Webhooks are sent again.',
  },
  OUT112: {
    meaning: 'The receiver of a request did not answer in time.',
    action: 'Let the receiver answer first and work afterwards. Webhooks are sent again.',
  },
  OUT113: {
    meaning: 'The receiver of a request answered with a redirect. Redirects are not followed.',
    action: 'Register the address that the redirect leads to.',
  },
} as const satisfies Explanations
