/**
 * Sends one message through the mail server of the operator. A message is handed over once: nothing is repeated here, because
 * a server that breaks off at the end may have taken the message already.
 */
import { Problem } from '../kernel/problem.ts'
import { type MailAddress, mailAddress } from './mail-address.ts'
import { mailRefused, mailServerAway } from './problems.ts'
import type { TargetRules } from './target.ts'

export type MailMessage = {
  readonly to: readonly MailAddress[]
  readonly cc: readonly MailAddress[]
  readonly bcc: readonly MailAddress[]
  readonly replyTo: readonly MailAddress[]
  /** On one line. */
  readonly subject: string
  /** At least one of the two is not null. */
  readonly text: string | null
  readonly html: string | null
  readonly attachments: readonly MailAttachment[]
}

export type MailAttachment = {
  /** On one line. */
  readonly filename: string
  readonly contentType: string
  readonly content: Buffer
}

export type SentMail = {
  readonly messageId: string
  /** Addresses that the server refused, while it took the message for the others. */
  readonly refused: readonly string[]
}

export type SendMail = (message: MailMessage, timeoutMs: number, signal: AbortSignal) => Promise<SentMail>

export type MailServer = {
  /** `smtp:` or `smtps:`, with user and password where the server asks for them. */
  readonly url: string
  readonly password: string | undefined
  readonly from: string
  readonly rules: Pick<TargetRules, 'isTrusted'>
}

/**
 * @returns a function that sends messages. It rejects with Problem OUT117 when the server is away, with OUT118 when it refuses the
 * message, and with the reason of the signal
 */
export function openMailer(server: MailServer): SendMail {
  const from = mailAddress(server.from)
  const url = new URL(server.url)
  const username = decodeURIComponent(url.username)
  const password = server.password ?? decodeURIComponent(url.password)
  return async (message, timeoutMs, signal) => {
    const time = AbortSignal.timeout(timeoutMs)
    try {
      // Loaded with the first message, because most scripts send none.
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({
        ...connectionOf(url, password, server.rules),
        ...bounds(timeoutMs + AFTER_SIGNAL_MS),
      })
      const { attachments, ...parts } = message
      const sent = await transport.sendMail({
        ...nodemailerParts(parts),
        from: { ...from },
        attachments: attachments.map((attachment) => ({ ...attachment, contentDisposition: 'attachment' })),
        xMailer: false,
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: AbortSignal.any([signal, time]),
      })
      return { messageId: sent.messageId, refused: sent.rejected.map(textOf) }
    } catch (cause) {
      if (signal.aborted) throw signal.reason
      if (time.aborted) throw mailServerAway(url.hostname, cause, `no answer within ${timeoutMs} ms`)
      throw problemOf(url.hostname, cause, [username, password])
    }
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

function connectionOf(
  { protocol, hostname, port, username }: URL,
  password: string,
  { isTrusted }: MailServer['rules'],
) {
  const secure = protocol === 'smtps:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  // Such a host may send without TLS, so a certificate that nobody signed is better than none.
  const isTrustedPlain = !secure && (LOOPBACK.test(hostname) || isTrusted(host))
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // Without it, somebody on the way could hide that the server offers TLS.
    requireTLS: !secure && !isTrustedPlain,
    tls: { rejectUnauthorized: !isTrustedPlain },
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: password } }),
  }
}

/** The signal ends the whole message in time, and says so; what nodemailer bounds must not come first. */
const AFTER_SIGNAL_MS = 1000

const bounds = (timeoutMs: number) => ({
  dnsTimeout: timeoutMs,
  connectionTimeout: timeoutMs,
  greetingTimeout: timeoutMs,
  socketTimeout: timeoutMs,
})

/** nodemailer changes neither lists nor objects, but its types do not say so. */
const nodemailerParts = ({
  to,
  cc,
  bcc,
  replyTo,
  subject,
  text,
  html,
}: Omit<MailMessage, 'attachments'>) => ({
  to: to.map((address) => ({ ...address })),
  cc: cc.map((address) => ({ ...address })),
  bcc: bcc.map((address) => ({ ...address })),
  replyTo: replyTo.map((address) => ({ ...address })),
  subject,
  ...(text === null ? {} : { text }),
  ...(html === null ? {} : { html }),
})

const textOf = (address: string | { readonly address: string }): string =>
  typeof address === 'string' ? address : address.address

/** A reply of 500 to 599 is final (RFC 5321, section 4.2.1); everything else may pass. */
function problemOf(host: string, cause: unknown, credentials: Credentials): Problem {
  if (cause instanceof Problem) return cause
  const { message, responseCode = 0 } = cause as Error & { readonly responseCode?: number }
  // Servers repeat what they were sent now and then.
  const reason = formsOf(credentials).reduce((text, form) => text.replaceAll(form, '[redacted]'), message)
  const problem = responseCode >= 500 ? mailRefused : mailServerAway
  return problem(host, undefined, reason)
}

type Credentials = readonly [username: string, password: string]

/** As the password is written in a setting or a URL, and as it is sent (RFC 4616; AUTH LOGIN), the longest first. */
function formsOf([username, password]: Credentials): readonly string[] {
  if (password === '') return []
  const encoded = [`\0${username}\0${password}`, password].map((text) => Buffer.from(text).toString('base64'))
  const forms = [...encoded, encodeURIComponent(password), password]
  return [...new Set([...forms, ...encoded.map((form) => form.replace(/=+$/, ''))])].sort(
    (a, b) => b.length - a.length,
  )
}
