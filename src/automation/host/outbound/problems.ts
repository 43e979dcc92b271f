/** Why a script may not send something to others (END18x, CFG204): nothing was sent then. And answers that nobody can read (END215). */
import { Problem } from '../../../kernel/problem.ts'

export const tooManyRequests = (most: number) =>
  new Problem('END180', `A run may send at most ${most} HTTP requests`, {
    hint: 'Retries and redirects count. The setting is httpRequestsPerRun.',
  })

export const tooManyBytes = (most: number) =>
  new Problem('END181', `The HTTP requests of a run may send and read at most ${most} bytes`, {
    hint: 'The setting is httpBytesPerRun.',
  })

export const secretMissing = (name: string) =>
  new Problem('END182', `There is no active secret '${name.slice(0, 100)}'`, {
    hint: 'Store it under this name.',
  })

export const notRepeatable = (method: string) =>
  new Problem('END183', `A ${method} may be carried out twice when it is sent twice, so it has no retries`, {
    hint: "Add a header 'Idempotency-Key', or leave out retries.",
  })

export const tooMuchMail = (most: number, what: 'recipients' | 'bytes') =>
  new Problem('END184', `A run may send mail with at most ${most} ${what}`, {
    hint: `The setting is ${what === 'bytes' ? 'mailBytesPerRun' : 'mailRecipientsPerRun'}.`,
  })

export const unreadableCoding = (host: string, coding: string, fault: string) =>
  new Problem('END215', `${host} answered with the content coding '${coding.slice(0, 40)}', which ${fault}`, {
    hint: 'The request asked for none (Accept-Encoding: identity); gzip, deflate, br and zstd are read all the same.',
  })

export const noMailServer = () =>
  new Problem('CFG204', 'There is no mail server', {
    hint: 'Set smtpUrl and smtpFrom (TRIPFOLIO_SMTP_URL, TRIPFOLIO_SMTP_FROM).',
  })
