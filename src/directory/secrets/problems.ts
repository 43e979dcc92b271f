/** Problems of secrets (DIR5xx). No problem ever holds a value; DIR56x concern the key and are for the operator. */
import { DetailedProblem, Problem, type ProblemDetail } from '../../kernel/problem.ts'

export const badSecretName = (found: string) =>
  new Problem(
    'DIR530',
    `Expected the name of a secret, 1 to 100 printable characters without blanks at its ends, found '${printable(found)}'`,
  )

export const newSecretWithoutValue = (name: string) =>
  new Problem('DIR531', `There is no secret '${name}' yet, and a new one needs a value`, {
    hint: 'Give the value.',
  })

export const secretExpiryIsPast = (name: string, expiresAt: string) =>
  new Problem('DIR532', `Expected a future date-time at which '${name}' expires, found ${expiresAt}`, {
    hint: 'Give a later date-time, or null for a secret that does not expire.',
  })

export const badSecretDraft = (details: readonly ProblemDetail[]) =>
  new DetailedProblem(
    'DIR533',
    `The secret is invalid: ${details.map(({ path, message }) => `${path || 'it'} ${message}`).join('; ')}`,
    details,
  )

export const secretCannotBeOpened = (name: string) =>
  new Problem(
    'DIR560',
    `The secret '${name}' cannot be opened: it was sealed with another key, or is damaged`,
    {
      hint: 'Provide the key with which it was sealed (TRIPFOLIO_SECRET_KEY, or secret.key in the data folder). If it is lost, delete the secrets that it sealed, and set them again.',
    },
  )

export const otherKeyThanOfService = (name: string) =>
  new Problem(
    'DIR462',
    `Expected the key that seals the secrets of this store, found another one, with which scripts could not read '${name}'`,
    {
      hint: 'Give commands and the service the same settings (TRIPFOLIO_SECRET_KEY, or secretKey in tripfolio.json). If the key is lost, delete all secrets, start the service with the new key, and set them again.',
    },
  )

export const secretsWithoutKey = () =>
  new Problem(
    'DIR561',
    'Secrets cannot be sealed or opened here: the control store was opened without a key',
    {
      hint: 'Only the running service opens secrets.',
    },
  )

export const sharedKeyMissing = () =>
  new Problem('CFG203', 'Secrets in a store on PostgreSQL need the setting secretKey', {
    hint: 'Set the same TRIPFOLIO_SECRET_KEY on every node and for every command: 32 random bytes, such as those of `openssl rand -base64 32`.',
  })

/** Replaces unprintable characters: a refused name may hold any. */
const printable = (text: string): string => text.slice(0, 80).replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '�')
