/** Problems of a call of a dynamic endpoint before its script runs: codes SRV12x, SRV130, SRV133 and SRV141 to SRV143. */
import { Problem } from '../../kernel/problem.ts'
import type { CallRate } from '../../schema/endpoint-shapes.ts'
import { RetryProblem } from '../problems.ts'

/** The text is fixed by the design: callers may compare it. */
export const authenticationRequired = () => new Problem('SRV121', 'Authentication required')

export const roleRequired = () =>
  new Problem('SRV122', 'The token carries none of the roles that may call this endpoint')

export const tokensUnavailable = () =>
  new Problem('SRV123', 'Tokens cannot be checked at the moment: the keys are not available')

export const endpointBodyTooLarge = (limit: number) =>
  new Problem('SRV124', `The request body is longer than ${limit} bytes`)

export const unsupportedCharset = (charset: string) =>
  new Problem('SRV125', `Expected a body in UTF-8, found the charset '${charset.slice(0, 40)}'`)

export const compressedBody = (coding: string) =>
  new Problem('SRV126', `Expected a body without a content coding, found '${coding.slice(0, 40)}'`)

export const tooManyBodies = () =>
  new RetryProblem('SRV127', 'Too many large request bodies are being read at the moment', 1)

export const signatureNotAccepted = () => new Problem('SRV128', 'The signature is missing or wrong')

/** @param places where the id may be: a header, a field of the body as a JSON pointer, or either */
export const deliveryIdExpected = (
  { header, field }: { readonly header?: string | undefined; readonly field?: string | undefined },
  most: number,
) => {
  const expected = `Expected the id of the delivery, 1 to ${most} characters,`
  if (field === undefined) return new Problem('SRV129', `${expected} in the header ${header}`)
  const orHeader = header === undefined ? '' : ` in the header ${header} or`
  return new Problem('SRV141', `${expected}${orHeader} at ${field} of the body`)
}

export const deliveryRunning = () =>
  new RetryProblem('SRV130', 'This delivery is being processed at the moment', 5)

/** Only the log says which secret is missing. */
export const signatureNotCheckable = () =>
  new RetryProblem('SRV133', 'Signatures of deliveries to this endpoint cannot be checked at the moment', 60)

export const tooManyCalls = ({ calls, per }: CallRate, retryAfterSeconds: number) =>
  new RetryProblem(
    'SRV142',
    `Too many calls of this endpoint: the limit is ${calls} per ${per}`,
    retryAfterSeconds,
  )

/** Names the address, so that a proxy that hides its callers is found. */
export const addressNotAllowed = (address: string) =>
  new Problem('SRV143', `Calls of this endpoint are not allowed from the address ${address}`)
