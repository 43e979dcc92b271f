/** Why a command on a service elsewhere fails before the service can say it (END200 to END207). */
import { Problem } from '../../kernel/problem.ts'

export const badServer = (found: string, why: string) =>
  new Problem('END200', `Expected the address of a service after --server, found '${found}', which ${why}`, {
    hint: 'Give the address under which the service is, such as https://travel.example.com, http://127.0.0.1:8080 or https://intranet.example.com/travel.',
  })

export const tokenMissing = () =>
  new Problem('END201', 'Expected a token for the service after --server, found none', {
    hint: 'Set TRIPFOLIO_TOKEN, or give --token-file with the file that has it. `tripfolio token issue` on the machine of the service issues one for development.',
  })

export const serverMissing = (option: string) =>
  new Problem('END201', `Expected --server together with ${option}, found ${option} alone`, {
    hint: 'Without --server, the command works on the data folder and needs no token.',
  })

export const unusableToken = (place: string, why: string) =>
  new Problem('END201', `Expected a token in ${place}, found ${why}`, {
    hint: 'A token is one line of letters, digits, dots, hyphens and underscores.',
  })

export const unreachable = (server: string, reason: string, cause: unknown) =>
  new Problem('END202', `The service at ${server} cannot be reached: ${reason}`, {
    hint: 'Check the address, the network and whether the service runs.',
    cause,
  })

export const untrusted = (server: string, reason: string, cause: unknown) =>
  new Problem('END203', `The connection to ${server} cannot be made safe: ${reason}`, {
    hint: 'For a certificate of your own authority, set NODE_EXTRA_CA_CERTS to its file. For a service without TLS, write http://.',
    cause,
  })

export const tokenRefused = (server: string) =>
  new Problem('END204', `The service at ${server} does not accept the token`, {
    hint: 'It may have expired, or be for another service. The log of the service says why it was refused.',
  })

export const notAllowed = (server: string, said: string) =>
  new Problem('END205', `The service at ${server} does not let this token do it: ${said}`)

export const unexpectedAnswer = (server: string, found: string) =>
  new Problem('END206', `Expected an answer of the admin API of Tripfolio from ${server}, found ${found}`, {
    hint: 'Check that the address is that of the service, with the path below which a proxy offers it, and that it has the version of this command line.',
  })

export const needsService = (what: string) =>
  new Problem('END207', `Expected --server, because only a running service can ${what}`, {
    hint: 'Give --server with its address and TRIPFOLIO_TOKEN, also on the machine of the service itself.',
  })
