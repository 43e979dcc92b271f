/** The settings of what scripts send to others: HTTP requests and mail. */
import { optional, setting } from './setting.ts'
import { byteSize, flag, integer, mailDomains, mailServerUrl, text } from './setting-types.ts'

/** With or without a name before it. Sending checks it in full. */
const MAIL_ADDRESS = /^(?:[^\s<>@]+@[^\s<>@]+|[^<>@\p{Cc}]+<[^\s<>@]+@[^\s<>@]+>)$/u

export const outboundSettings = {
  quiet: setting(flag, {
    default: false,
    help: 'Whether this service starts quiet: it begins no schedules and no scheduled refreshes, and sends no HTTP requests and mail of scripts and no webhooks, until `tripfolio resume`. For copies of an installation.',
  }),
  httpRequestsPerRun: setting(integer({ min: 0, max: 10_000 }), {
    default: 20,
    help: 'Most HTTP requests that one run of a script may send with `HttpRequest`; every retry and every redirect counts.',
  }),
  httpBytesPerRun: setting(byteSize({ min: 1024 }), {
    default: 16 * 2 ** 20,
    help: 'Most bytes of bodies that the HTTP requests of one run send and read together.',
  }),
  smtpUrl: optional(mailServerUrl, {
    help: 'Mail server of `SendMail`: `smtps://user:password@host:465` begins with TLS; `smtp://host:587` must change to TLS, unless `trustedHosts` has the host. Without it, scripts send no mail.',
    secret: true,
  }),
  smtpPassword: optional(text('a text'), {
    help: 'Password of the user in `smtpUrl`, instead of a password there.',
    secret: true,
  }),
  smtpFrom: optional(
    text('an address such as reports@example.com or Reports <reports@example.com>', MAIL_ADDRESS),
    {
      help: 'Sender of all mail; needed with `smtpUrl`.',
    },
  ),
  mailDomains: optional(mailDomains, {
    help: 'Domains to which scripts may send mail, such as `example.com,*.example.org`; by default all.',
  }),
  mailRecipientsPerRun: setting(integer({ min: 0, max: 10_000 }), {
    default: 100,
    help: 'Most recipients to which one run of a script may send mail, all messages together.',
  }),
  mailBytesPerRun: setting(byteSize({ min: 1024 }), {
    default: 10 * 2 ** 20,
    help: 'Most bytes of texts and attachments that one run may send by mail.',
  }),
} as const
