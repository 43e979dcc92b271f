/** Reads the argument of `SendMail`. Refuses unknown members, and addresses that mail cannot or may not go to. */
import { type MailAddress, mailAddress, refuseOtherDomain } from '../../../outbound/mail-address.ts'
import type { MailAttachment, MailMessage } from '../../../outbound/send-mail.ts'
import { ScriptArray, ScriptObject, type Value } from '../../../script/values.ts'
import { refusedArgument } from '../failures.ts'
import { optionsOf, plainText, wrongArgument } from '../host-arguments.ts'

const NAME = 'SendMail'
const MOST_SUBJECT_UNITS = 500
const MOST_ATTACHMENTS = 20
const MOST_REPLY_TO = 20
/** As long as the names of files are in file systems: it stands on one line of the message. */
const LONGEST_FILENAME = 255
/** RFC 6838, section 4.2, allows 127 characters for each of its two names. */
const LONGEST_MEDIA_TYPE = 255

const members = ['to', 'cc', 'bcc', 'replyTo', 'subject', 'text', 'html', 'attachments']
const attachmentMembers = ['filename', 'content', 'contentBase64', 'contentType']

type Rules = {
  /** Domains to which mail may go; undefined: all. */
  readonly domains: string | undefined
  /** One recipient more than these is read, which the caller refuses: a long list would hold up other runs. */
  readonly mostRecipients: number
}

/**
 * @throws ScriptFailure JM5104, JM5920 for an argument of another form
 * @throws Problem OUT119 for an address
 */
export function mailMessage(argument: Value, { domains, mostRecipients }: Rules): MailMessage {
  if (!(argument instanceof ScriptObject)) throw wrongArgument(NAME, 'an object', argument)
  const given = knownMembers(argument, members, 'a message')
  const recipients = (member: string) => {
    const addresses = addressesOf(member, given.get(member), mostRecipients + 1)
    for (const address of addresses) refuseOtherDomain(address, domains)
    return addresses
  }
  const replyTo = addressesOf('replyTo', given.get('replyto'), MOST_REPLY_TO + 1)
  if (replyTo.length > MOST_REPLY_TO) {
    throw refusedArgument(`${NAME} takes at most ${MOST_REPLY_TO} addresses as replyTo`)
  }
  const message = {
    to: recipients('to'),
    cc: recipients('cc'),
    bcc: recipients('bcc'),
    replyTo,
    subject: onOneLine(optionalText('subject', given) ?? '').slice(0, MOST_SUBJECT_UNITS),
    text: optionalText('text', given),
    html: optionalText('html', given),
    attachments: attachmentsOf(given.get('attachments')),
  }
  if (recipientsOf(message).length === 0)
    throw refusedArgument(`${NAME} expects a recipient in to, cc or bcc`)
  if (message.text === null && message.html === null) {
    throw refusedArgument(`${NAME} expects a text, html, or both`)
  }
  return message
}

export const recipientsOf = ({ to, cc, bcc }: Pick<MailMessage, 'to' | 'cc' | 'bcc'>) => [
  ...to,
  ...cc,
  ...bcc,
]

/** Of texts and attachments, before they are encoded. */
export const mailBytes = ({ subject, text, html, attachments }: MailMessage): number =>
  [subject, text ?? '', html ?? ''].reduce((sum, part) => sum + Buffer.byteLength(part), 0) +
  attachments.reduce((sum, { content }) => sum + content.length, 0)

type Given = ReadonlyMap<string, Value>

function knownMembers(object: ScriptObject, names: readonly string[], what: string): Given {
  const given = optionsOf(NAME, object)
  for (const name of given.keys()) {
    if (names.some((known) => known.toLowerCase() === name)) continue
    throw refusedArgument(
      `${NAME}: ${what} has the members ${names.join(', ')}, but not '${name.slice(0, 40)}'`,
    )
  }
  return given
}

/** One address, several with commas or semicolons between them, or an array of them. */
function addressesOf(member: string, value: Value | undefined, most: number): readonly MailAddress[] {
  if (value === undefined || value === null) return []
  const addresses: MailAddress[] = []
  for (const item of value instanceof ScriptArray ? value.items : [value]) {
    if (typeof item !== 'string') throw wrongArgument(NAME, `texts as ${member}`, item)
    for (const text of addressTexts(item)) {
      if (addresses.length === most) return addresses
      if (text.trim() !== '') addresses.push(mailAddress(text))
    }
  }
  return addresses
}

/** Splits at commas and semicolons, but not in names in quotes: `"Byrne, Ada" <ada@example.com>`. */
function* addressTexts(list: string): Generator<string> {
  let start = 0
  let isQuoted = false
  for (let i = 0; i < list.length; i++) {
    const sign = list[i]
    if (sign === '"') isQuoted = isQuoted ? false : list.includes('"', i + 1)
    else if (!isQuoted && (sign === ',' || sign === ';')) {
      yield list.slice(start, i)
      start = i + 1
    }
  }
  yield list.slice(start)
}

function optionalText(member: string, given: Given): string | null {
  const value = given.get(member.toLowerCase()) ?? null
  const text = plainText(value)
  if (value !== null && text === null) throw wrongArgument(NAME, `a text as ${member}`, value)
  return text
}

function attachmentsOf(value: Value | undefined): readonly MailAttachment[] {
  if (value === undefined || value === null) return []
  if (!(value instanceof ScriptArray)) throw wrongArgument(NAME, 'an array as attachments', value)
  if (value.items.length > MOST_ATTACHMENTS) {
    throw refusedArgument(`${NAME} sends at most ${MOST_ATTACHMENTS} attachments`)
  }
  return value.items.map(attachmentOf)
}

function attachmentOf(value: Value): MailAttachment {
  if (!(value instanceof ScriptObject)) throw wrongArgument(NAME, 'objects as attachments', value)
  const given = knownMembers(value, attachmentMembers, 'an attachment')
  const filename = onOneLine(optionalText('filename', given) ?? '')
  if (filename === '') throw refusedArgument(`${NAME} expects a filename for every attachment`)
  if (filename.length > LONGEST_FILENAME) {
    throw refusedArgument(`${NAME} takes filenames of at most ${LONGEST_FILENAME} characters`)
  }
  const content = optionalText('content', given)
  const encoded = optionalText('contentBase64', given)
  if ((content === null) === (encoded === null)) {
    throw refusedArgument(`${NAME} expects content or contentBase64 for the attachment ${filename}`)
  }
  if (encoded !== null && !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) {
    throw refusedArgument(`${NAME} expects base64 as contentBase64 of the attachment ${filename}`)
  }
  const contentType = optionalText('contentType', given) ?? 'application/octet-stream'
  if (
    contentType.length > LONGEST_MEDIA_TYPE ||
    !/^[\w.+-]+\/[\w.+-]+(?:; *[\w-]+=[\w.-]+)*$/.test(contentType)
  ) {
    throw refusedArgument(`${NAME} expects a media type such as text/csv as contentType`)
  }
  // They may not be encoded (RFC 2045, section 6.4), so lines of any length and any bytes would reach the mail server.
  if (/^(?:message|multipart)\//i.test(contentType)) {
    throw refusedArgument(
      `${NAME} attaches no message and no parts of one: send it as application/octet-stream instead of ${contentType}`,
    )
  }
  return {
    ...{ filename, contentType },
    content: encoded === null ? Buffer.from(content ?? '') : Buffer.from(encoded, 'base64'),
  }
}

/** Without line ends and other characters that could begin another header. */
const onOneLine = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
