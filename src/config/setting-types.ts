/**
 * The types of settings. A type reads raw text or JSON (environment, file, flag) and returns `undefined` for anything that
 * it does not accept; the loader then reports what was expected. Reading never throws.
 */
import { isIP } from 'node:net'
import { Cron } from 'croner'
import { isBasePath } from '../kernel/addresses/base-path.ts'
import { formatDate, parseDate } from '../kernel/calendar.ts'
import { isUrl, isWarehouse, showSource, warehouseUrl } from './extract-source.ts'

export type SettingType<T> = {
  /** All values, of a type that has only a few. */
  readonly choices?: readonly T[]
  /** Completes the sentence "expected ...". */
  readonly expected: string
  readonly read: (raw: unknown) => T | undefined
  /** The value as a person would write it. Called only with values that `read` returned. */
  readonly show: (value: unknown) => string
}

export function text(expected: string, pattern = /\S/): SettingType<string> {
  return {
    expected,
    read: (raw) => (typeof raw === 'string' && pattern.test(raw) ? raw : undefined),
    show: String,
  }
}

export function integer({ min, max }: { min: number; max?: number }): SettingType<number> {
  const expected = max === undefined ? `an integer of at least ${min}` : `an integer from ${min} to ${max}`
  return {
    expected,
    read: (raw) => within(wholeNumber(raw), min, max ?? Number.MAX_SAFE_INTEGER),
    show: String,
  }
}

/** A number in plain decimal notation; `places` is how many digits may follow the point. */
export function decimal({
  min,
  max,
  places,
}: {
  min: number
  max: number
  places: number
}): SettingType<number> {
  const steps = 10 ** places
  return {
    expected: `a number from ${min} to ${max} with at most ${places} decimals`,
    read: (raw) => {
      const value = within(plainNumber(raw), min, max)
      return value !== undefined && Math.round(value * steps) / steps === value ? value : undefined
    },
    show: String,
  }
}

export const flag: SettingType<boolean> = {
  choices: [true, false],
  expected: 'true or false',
  read: (raw) => [true, false].find((value) => raw === value || raw === String(value)),
  show: String,
}

/** A day, as the number of days since 1970-01-01. */
export const day: SettingType<number> = {
  expected: 'a date from 1980-01-01 to 2999-12-31, such as 2026-01-31',
  read: (raw) => (typeof raw === 'string' ? within(parseDate(raw), FIRST_DAY, LAST_DAY) : undefined),
  show: (value) => formatDate(Number(value)),
}

const [FIRST_DAY, LAST_DAY] = [3652, 376_199]

/** A part of a whole, written as a number from 0 to 1. */
export const share: SettingType<number> = {
  expected: 'a number from 0 to 1',
  read: (raw) => within(plainNumber(raw), 0, 1),
  show: String,
}

/** In a file, the `null` of JSON is the choice of that name. */
export function oneOf<const T extends string>(
  ...choices: readonly T[]
): SettingType<T> & { readonly choices: readonly T[] } {
  return {
    choices,
    expected: `one of ${choices.join(', ')}`,
    read: (raw) => choices.find((choice) => choice === (raw === null ? 'null' : raw)),
    show: String,
  }
}

/** IP addresses and ranges, separated by commas. A range of all addresses is refused: it would trust every caller. */
export const addressRanges: SettingType<string> = {
  expected: 'IP addresses or ranges such as 10.0.0.0/8 with commas between them',
  read: (raw) => (typeof raw === 'string' && raw.split(',').every(isAddressRange) ? raw : undefined),
  show: String,
}

function isAddressRange(text: string): boolean {
  const [, address = '', bits] = /^([0-9a-fA-F:.]+)(?:\/([1-9]\d{0,2}))?$/.exec(text.trim()) ?? []
  const version = isIP(address)
  return version !== 0 && (bits === undefined || Number(bits) <= (version === 4 ? 32 : 128))
}

/**
 * A path before all addresses. What the service has itself at the root is refused: whether such an address has the path already
 * could not be told.
 */
export const basePath: SettingType<string> = {
  expected:
    'a path such as /travel: letters, digits and -._~ between slashes, none at the end, and not below /api, /app, /console, /docs or /explore',
  read: (raw) => (typeof raw === 'string' && isBasePath(raw) && !OWN_PATHS.test(raw) ? raw : undefined),
  show: String,
}

const OWN_PATHS = /^\/(?:api|app|console|docs|explore|livez|metrics|openapi\.json|readyz)(?:\/|$)/i

/** Host names, addresses and ranges of addresses. */
export const hosts: SettingType<string> = {
  expected: 'host names, IP addresses or ranges such as hooks.internal, 10.0.0.0/8 with commas between them',
  read: (raw) => (typeof raw === 'string' && raw.split(',').every(isHost) ? raw : undefined),
  show: String,
}

const isHost = (text: string): boolean =>
  isAddressRange(text) || /^(?!\d+(?:\.\d+)*$)[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9])?$/i.test(text.trim())

/** Domains of mail addresses; `*.example.com` is every domain below it. */
export const mailDomains: SettingType<string> = {
  expected: 'domains such as example.com, *.example.org with commas between them',
  read: (raw) => (typeof raw === 'string' && raw.split(',').every(isMailDomain) ? raw : undefined),
  show: String,
}

const isMailDomain = (text: string): boolean =>
  /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text.trim())

/** A mail server: `smtps://` begins with TLS, `smtp://` changes to it. */
export const mailServerUrl: SettingType<string> = {
  expected: 'a URL such as smtps://user:password@mail.example.com:465',
  read: (raw) => {
    const url = typeof raw === 'string' ? URL.parse(raw) : null
    const isServer = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
    const isAll = url !== null && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
    // A percent sign that begins no character would make user or password unreadable.
    return isServer && isAll && !/%(?![\da-f]{2})/i.test(raw as string) ? (raw as string) : undefined
  },
  show: String,
}

/** Where to listen: a host name or an address, IPv6 in brackets, and a port. */
export const listenAddress: SettingType<string> = {
  expected: 'an address and a port such as 127.0.0.1:9090 or [::1]:9090',
  read: (raw) => (typeof raw === 'string' && readListenAddress(raw) !== null ? raw : undefined),
  show: String,
}

/** @returns null for text that is not an address and a port */
export function readListenAddress(text: string): { readonly host: string; readonly port: number } | null {
  const [, v6, other, digits = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s/:[\]]+)):(\d{1,5})$/.exec(text) ?? []
  const host = v6 ?? other
  const isValid = host !== undefined && (v6 === undefined || isIP(v6) === 6) && Number(digits) <= 65_535
  return isValid ? { host, port: Number(digits) } : null
}

/** Origins of web pages as browsers send them, separated by commas. The origin `null`, which any page can have, is refused. */
export const webOrigins: SettingType<string> = {
  expected: '* or web origins such as https://portal.example.com with commas between them',
  read: (raw) => (typeof raw === 'string' && raw.split(',').every(isWebOrigin) ? raw : undefined),
  show: String,
}

function isWebOrigin(text: string): boolean {
  const origin = text.trim()
  return origin === '*' || (/^https?:[^*]+$/.test(origin) && URL.parse(origin)?.origin === origin)
}

/**
 * Where a refresh reads from. Any URL of PostgreSQL is read: a fault in it is reported when it is used, without its password.
 * Other URLs would be taken for the path of a folder.
 */
export const extractSource: SettingType<string> = {
  expected: 'the path of a folder or the URL of a PostgreSQL database',
  read: (raw) =>
    typeof raw === 'string' && /\S/.test(raw) && (isWarehouse(raw) || !isUrl(raw)) ? raw : undefined,
  show: (value) => showSource(String(value)),
}

/** The URL of a PostgreSQL database. */
export const databaseUrl: SettingType<string> = {
  expected:
    'the URL of a PostgreSQL database, such as postgres://user:password@host:5432/tripfolio, with %2F, %23 and %3F for /, # and ? in a password',
  read: (raw) => {
    const url = typeof raw === 'string' ? warehouseUrl(raw) : null
    const isDatabase = url !== null && /^postgres(?:ql)?:$/.test(url.protocol) && url.pathname.length > 1
    return isDatabase ? (raw as string) : undefined
  },
  show: String,
}

export const cronPattern: SettingType<string> = {
  expected: "a cron pattern that will run, such as '0 */6 * * *'",
  read: (raw) => (typeof raw === 'string' && willRun(raw) ? raw : undefined),
  show: String,
}

const BYTES_PER_UNIT: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
}

/** Bytes, with decimal (`MB`) or binary (`MiB`) units in any letter case; a bare number is bytes. */
export function byteSize({ min }: { min: number }): SettingType<number> {
  return {
    expected: `a size of at least ${showBytes(min)}, such as 512MiB or 4GiB`,
    read: (raw) => within(readBytes(raw), min, Number.MAX_SAFE_INTEGER),
    show: (value) => showBytes(Number(value)),
  }
}

function readBytes(raw: unknown): number | undefined {
  if (typeof raw === 'number') return Number.isInteger(raw) ? raw : undefined
  if (typeof raw !== 'string') return undefined
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?b)?$/i.exec(raw.trim())
  const unit = BYTES_PER_UNIT[(match?.[2] ?? 'b').toLowerCase()]
  return match === null || unit === undefined ? undefined : Math.round(Number(match[1]) * unit)
}

/** In the largest binary unit that divides the size, so that reading the text gives the same bytes again. */
function showBytes(bytes: number): string {
  const unit = ['TiB', 'GiB', 'MiB', 'KiB'].find(
    (name) => bytes > 0 && bytes % (BYTES_PER_UNIT[name.toLowerCase()] ?? 1) === 0,
  )
  return unit === undefined ? `${bytes}B` : `${bytes / (BYTES_PER_UNIT[unit.toLowerCase()] ?? 1)}${unit}`
}

/** A pattern that names a past time or 30 February is valid, but would never run. */
function willRun(pattern: string): boolean {
  try {
    return new Cron(pattern, { paused: true }).nextRun() !== null
  } catch {
    return false
  }
}

function wholeNumber(raw: unknown): number | undefined {
  const value = typeof raw === 'string' && !/^[+-]?\d+$/.test(raw.trim()) ? undefined : plainNumber(raw)
  return Number.isSafeInteger(value) ? value : undefined
}

/** JSON numbers as they are; text in plain decimal notation only, because `Number` also accepts '' and '0x10'. */
function plainNumber(raw: unknown): number | undefined {
  if (typeof raw === 'number') return raw
  return typeof raw === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)$/.test(raw.trim()) ? Number(raw) : undefined
}

const within = (value: number | undefined, min: number, max: number): number | undefined =>
  value !== undefined && value >= min && value <= max ? value : undefined
