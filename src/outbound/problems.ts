/** What can go wrong with requests that the service sends to others (OUT1xx). */
import { isIP } from 'node:net'
import { Problem } from '../kernel/problem.ts'

export const badTargetUrl = (given: string, expected: string) =>
  new Problem('OUT101', `Expected ${expected} and found '${targetOf(given)}'`, {
    hint: 'Operators can allow http and private addresses for single hosts with the setting trustedHosts (TRIPFOLIO_TRUSTED_HOSTS).',
  })

/** The addresses of a name stay out of it: whoever registers a webhook must not learn those of the operator's network. */
export const privateTarget = (host: string) =>
  new Problem(
    'OUT102',
    isIP(host) === 0
      ? `The host ${host} has an address that is not on the public internet`
      : `The address ${host} is not on the public internet`,
    { hint: 'Operators can allow it with the setting trustedHosts (TRIPFOLIO_TRUSTED_HOSTS).' },
  )

export const targetAway = (host: string, cause: unknown) =>
  new Problem('OUT111', `${host} cannot be reached: ${reasonOf(cause)}`, { cause })

export const targetTooSlow = (host: string, timeoutMs: number, cause: unknown) =>
  new Problem('OUT112', `${host} did not answer within ${timeoutMs} ms`, { cause })

export const targetRedirects = (host: string, status: number) =>
  new Problem('OUT113', `${host} answered with a redirect (${status}), which is not followed`, {
    hint: 'Register the address that it leads to.',
  })

/** @param host with its port unless that is the usual one */
export const hostNotAllowed = (host: string) =>
  new Problem('OUT114', `The endpoint may not send requests to ${shortened(host)}`, {
    hint: `Add '${shortened(host)}' to allowedHosts in the definition of the endpoint.`,
  })

export const answerTooLarge = (host: string, mostBytes: number) =>
  new Problem(
    'OUT115',
    `${host} answered with more than the ${mostBytes} bytes that the run may still read`,
    {
      hint: 'Ask for less, or raise the setting httpBytesPerRun.',
    },
  )

/** The value is not shown: it may hold a secret. */
export const badRequestHeader = (name: string, fault: string) =>
  new Problem('OUT116', `The header '${shortened(name)}' ${fault}`)

export const mailServerAway = (host: string, cause: unknown, reason = reasonOf(cause)) =>
  new Problem('OUT117', `The mail server ${host} did not take the message: ${shortened(reason)}`, { cause })

export const mailRefused = (host: string, cause: unknown, reason = reasonOf(cause)) =>
  new Problem('OUT118', `The mail server ${host} refused the message: ${shortened(reason)}`, { cause })

export const badMailAddress = (given: string, expected: string) =>
  new Problem('OUT119', `Expected ${expected} and found '${shortened(given)}'`)

/** Protocol and host, because secrets may stand in the rest of a URL. */
function targetOf(given: string): string {
  const [all = '', protocol = '', host = ''] =
    /^([a-z][a-z0-9+.-]*:(?:\/\/)?)?(?:[^/?#]*@)?([^/?#]*)\/?/i.exec(given) ?? []
  return `${shortened(protocol + host)}${all.endsWith('/') ? '/' : ''}${all === given ? '' : '...'}`
}

const LONGEST_SHOWN = 100

const shortened = (text: string): string => {
  const shown = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\u{fffd}')
  return shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}...` : shown
}

function reasonOf(cause: unknown): string {
  // Node tries every address of a host, and puts the reasons together in an error without a text of its own.
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message
  return cause instanceof Error ? cause.message : String(cause)
}
