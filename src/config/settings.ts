/**
 * Every setting, one row each: name, type, default, help, and whether the value is a secret. The Config type, the
 * environment variables, `config print` and docs/reference/settings.md all derive from this table.
 */
import {
  byteSize,
  cronPattern,
  decimal,
  integer,
  oneOf,
  type SettingType,
  share,
  text,
} from './setting-types.ts'

export type Setting<T> = {
  readonly type: SettingType<T>
  /** `undefined` where the setting is optional. */
  readonly default: T | undefined
  /** One sentence for the documentation. */
  readonly help: string
  /** A secret is never shown: not by `config print`, not in a problem. */
  readonly secret: boolean
}

/** In the steps and up to the size that the token bucket of auth/ can count. */
const requestRate = decimal({ min: 0, max: 1_000_000, places: 3 })
const requestBurst = integer({ min: 1, max: 1_000_000 })

export const settings = {
  data: setting(text('the path of a folder'), {
    default: './data',
    help: 'Folder that holds the snapshots, the control store and the optional configuration file.',
  }),
  host: setting(text('a host name or an IP address', /^[^\s/]+$/), {
    default: '127.0.0.1',
    help: 'Address to listen on; `0.0.0.0` or `::` for every interface.',
  }),
  port: setting(integer({ min: 0, max: 65_535 }), {
    default: 8080,
    help: 'TCP port to listen on; 0 lets the system choose one.',
  }),
  threads: optional(integer({ min: 1, max: 256 }), {
    help: 'Threads that answer requests, all on the same port; one for each processor core unless given.',
  }),
  source: optional(text('the path of a folder'), {
    help: 'Folder of the warehouse extract that a refresh reads.',
  }),
  refresh: optional(cronPattern, {
    help: 'When to refresh from the source, as a cron pattern; without it a refresh runs only when asked for.',
  }),
  retainSnapshots: setting(integer({ min: 1 }), {
    default: 3,
    help: 'How many snapshots are kept, the current one included.',
  }),
  maxRejectShare: setting(share, {
    default: 0.05,
    help: 'Largest share of rejected records in any one table with which a refresh is still published.',
  }),
  parameterLength: setting(integer({ min: 1 }), {
    default: 8192,
    help: 'Longest query parameter, in characters after decoding.',
  }),
  filterNodes: setting(integer({ min: 1 }), {
    default: 500,
    help: 'Most operators, functions and comparisons in one filter; in version 1 most clauses in one `query`.',
  }),
  filterDepth: setting(integer({ min: 1, max: 1000 }), {
    default: 64,
    help: 'Deepest nesting of one filter: parentheses, `not`, `any` and `all`.',
  }),
  listItems: setting(integer({ min: 1 }), {
    default: 1000,
    help: 'Most items in one list: `in`, `nin`, and in version 1 `^IN` and `^NI`.',
  }),
  sortClauses: setting(integer({ min: 1 }), {
    default: 8,
    help: 'Most clauses in one `$orderby`.',
  }),
  requestLineBytes: setting(integer({ min: 1024, max: 1_048_576 }), {
    default: 16_384,
    help: 'Longest request line, in bytes; a longer one is answered with 414.',
  }),
  rateLimitV1: setting(requestRate, {
    default: 50,
    help: 'Requests per second that version 1 answers each account; more is answered with 429. 0 is no limit.',
  }),
  rateBurstV1: setting(requestBurst, {
    default: 200,
    help: 'Requests that version 1 answers an account at once after a pause, before `rateLimitV1` holds.',
  }),
  rateLimitV2: setting(requestRate, {
    default: 0,
    help: 'Requests per second that version 2 answers each account; more is answered with 429. 0 is no limit.',
  }),
  rateBurstV2: setting(requestBurst, {
    default: 200,
    help: 'Requests that version 2 answers an account at once after a pause, before `rateLimitV2` holds.',
  }),
  logLevel: setting(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), {
    default: 'info',
    help: 'Least important kind of log line that is written.',
  }),
  logFormat: setting(oneOf('auto', 'json', 'pretty'), {
    default: 'auto',
    help: 'Form of the log lines; `auto` is pretty on a terminal and JSON elsewhere.',
  }),
  memoryBudget: setting(byteSize({ min: 2 ** 20 }), {
    default: 2 * 2 ** 30,
    help: 'Memory for the data of clients, as bytes of their snapshot files; beyond it the clients that were not asked for longest are let go until the next request.',
  }),
  warmUp: setting(oneOf('accounts', 'none'), {
    default: 'accounts',
    help: 'Which clients to load as soon as a snapshot is announced: those with an account, within the memory budget, or none.',
  }),
} as const satisfies Readonly<Record<string, Setting<unknown>>>

export type SettingName = keyof typeof settings

/** The value of each setting. Optional settings are `undefined` when nobody gave them. */
export type SettingValues = { readonly [Name in SettingName]: SettingValue<(typeof settings)[Name]> }

type SettingValue<S> = S extends { readonly type: SettingType<infer T>; readonly default: infer Default }
  ? T | Extract<Default, undefined>
  : never

export const settingNames = Object.keys(settings) as readonly SettingName[]

/** `retainSnapshots` is `TRIPFOLIO_RETAIN_SNAPSHOTS` in the environment. */
export const variableOf = (name: string): string =>
  `TRIPFOLIO_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`

/** A value for human eyes. */
export function showSetting(setting: Setting<unknown>, value: unknown): string {
  if (value === undefined) return '(not set)'
  return setting.secret ? '(hidden)' : setting.type.show(value)
}

function setting<T>(
  type: SettingType<T>,
  row: { readonly default: NoInfer<T>; readonly help: string; readonly secret?: boolean },
): Setting<T> & { readonly default: T } {
  return { secret: false, ...row, type }
}

function optional<T>(
  type: SettingType<T>,
  row: { readonly help: string; readonly secret?: boolean },
): Setting<T> & { readonly default: undefined } {
  return { secret: false, ...row, type, default: undefined }
}
