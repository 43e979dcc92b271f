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
    action:
      'Give the address that the redirect leads to. Scripts can follow redirects with `followRedirects: true`, at most five.',
  },
  OUT114: {
    meaning: 'A script sends a request to a host that its endpoint may not ask.',
    action:
      "Add the host that the message names to `allowedHosts` in the endpoint's definition, and publish it.",
  },
  OUT115: {
    meaning: 'An answer is larger than what the run may still read.',
    action: 'Ask for less, or raise the setting `httpBytesPerRun`.',
  },
  OUT116: {
    meaning:
      'A header of a request has a malformed name or value, or one that only the service sets. The value is not shown.',
    action: 'Correct the header that the message names.',
  },
  OUT117: {
    meaning:
      'The mail server cannot be reached, broke off, or did not take the message for now. When it broke off at the end, it may have taken the message nevertheless.',
    action: 'Check the settings `smtp*` and the mail server. The service does not send the message again.',
  },
  OUT118: {
    meaning: 'The mail server refused the message, its sender, its recipients or the password.',
    action: 'Do what its reply in the message asks for.',
  },
  OUT119: {
    meaning: 'An address of mail is malformed, or not of a domain that `mailDomains` allows.',
    action: 'Correct the address, or add its domain to the setting.',
  },
} as const satisfies Explanations
