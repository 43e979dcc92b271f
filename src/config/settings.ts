/**
 * Every setting, one row each: name, type, default, help, and whether the value is a secret. The Config type, the
 * environment variables, `config print` and docs/reference/settings.md all derive from this table.
 */
import {
  addressRanges,
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
  connections: optional(integer({ min: 1 }), {
    help: 'Connections that may be open at the same time; beyond them only `/livez`, `/readyz` and `/metrics` are answered. Never more than the limit of open files (`ulimit -n`) leaves room for, and as many unless given.',
  }),
  connectionsPerAddress: optional(integer({ min: 0 }), {
    help: 'The same from one address (in IPv6 from one network of 64 bits); half of `connections` unless given, 0 is no limit but `connections`. A reverse proxy is one address: name it in `trustedProxies`, which are exempt.',
  }),
  readerIdleSeconds: setting(integer({ min: 1, max: 86_400 }), {
    default: 60,
    help: 'Seconds for which a caller may take nothing of its answer before it is cut off.',
  }),
  drainMilliseconds: setting(integer({ min: 0, max: 600_000 }), {
    default: 250,
    help: 'After a signal to stop, how long connections are still accepted and kept for another request: `/readyz` answers 503, and every answer ends its connection. Behind a load balancer, as long as it takes to notice; less than `stopSeconds`.',
  }),
  stopSeconds: setting(integer({ min: 1, max: 86_400 }), {
    default: 30,
    help: 'After a signal to stop, how long requests may take to be answered; what is left then is cut off, and the exit code is 3.',
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
  maxTableShrink: setting(share, {
    default: 0.3,
    help: 'Largest share of its rows that any one table may lose against the current snapshot with which a refresh is still published; 1 allows any loss.',
  }),
  maxClientsEmptied: setting(share, {
    default: 0.1,
    help: 'Largest share of clients that may lose all of their bookings or all of their invoices with which a refresh is still published; 1 allows any loss, and a single client is never too many.',
  }),
  labelsPerClient: setting(integer({ min: 1 }), {
    default: 1000,
    help: 'Most custom labels of one client; those beyond, in the order of their text, are set aside.',
  }),
  refreshTimeLimitSeconds: setting(integer({ min: 1, max: 604_800 }), {
    default: 3600,
    help: 'How long a refresh may take, in seconds; one that takes longer is ended, and the current snapshot stays.',
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
  requestRowsScanned: setting(integer({ min: 0 }), {
    default: 2_000_000_000,
    help: 'Most rows that one request may look at, where a text that is searched counts as 8 and an amount that is searched as 100 or more; 400 when the query is certain to need more, 503 when it turns out so. 0 is no limit.',
  }),
  requestCpuMs: setting(integer({ min: 0 }), {
    default: 2000,
    help: 'Most processor time to find the records of one request, in milliseconds; a request that needs more is stopped with 503. 0 is no limit.',
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
  failedAuthPerMinute: setting(integer({ min: 0, max: 60_000 }), {
    default: 30,
    help: 'Requests without a valid credential per minute that each address gets a 401 for; more is answered with 429. Valid credentials are never refused for it. 0 is no limit.',
  }),
  failedAuthBurst: setting(integer({ min: 1, max: 1_000_000 }), {
    default: 20,
    help: 'Requests without a valid credential that an address gets a 401 for at once after a pause, before `failedAuthPerMinute` holds.',
  }),
  trustedProxies: optional(addressRanges, {
    help: 'Proxies whose `X-Forwarded-For` is believed, and which may have more than `connectionsPerAddress`, as IP addresses and ranges such as `10.0.0.0/8` with commas between them; none unless given.',
  }),
  accountConcurrency: setting(integer({ min: 0, max: 1000 }), {
    default: 4,
    help: 'Requests for records of one account that each thread computes at the same time; more wait for their turn. 0 lets every request compute at once.',
  }),
  requestConcurrency: setting(integer({ min: 1, max: 10_000 }), {
    default: 16,
    help: 'Requests for records that each thread computes at the same time, of all accounts together.',
  }),
  accountQueue: setting(integer({ min: 0, max: 100_000 }), {
    default: 64,
    help: 'Requests of one account that may wait for their turn in each thread; what is more is answered with 429.',
  }),
  accountQueueMilliseconds: setting(integer({ min: 1, max: 60_000 }), {
    default: 5000,
    help: 'How long a request may wait for its turn before it is answered with 429, or with 503 where requests of other accounts were in its way.',
  }),
  loadSheddingDelayMilliseconds: setting(integer({ min: 0, max: 60_000 }), {
    default: 250,
    help: 'Lasting delay of the event loop of a thread beyond which it computes no more for accounts that it is already serving and answers 503; beyond twice of it, for nobody. 0 is no limit.',
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
    help: 'Memory for the data of clients, as bytes of their snapshot files; beyond it the clients that were not asked for longest are let go until the next request, and then readers that take nothing of answers from replaced files are cut off.',
  }),
  warmUp: setting(oneOf('accounts', 'none'), {
    default: 'accounts',
    help: 'Which clients to load as soon as a snapshot is announced: those with an account, within the memory budget, or none.',
  }),
  jwtKeys: optional(text('an http(s) URL or the path of a file'), {
    help: 'Where the public keys (JWKS) are that tokens of callers and operators are checked with.',
  }),
  jwtSecret: optional(text('a text of 32 bytes or more', /^.{32,}$/s), {
    help: 'Shared secret that tokens are checked with (HS256), where there are no public keys. Without both, tokens of `tripfolio token issue` are accepted.',
    secret: true,
  }),
  jwtAlgorithms: optional(
    text(
      'names of algorithms such as RS256 with commas between them',
      /^(?:[REP]S(?:256|384|512)|EdDSA)(?:, *(?:[REP]S(?:256|384|512)|EdDSA))*$/,
    ),
    {
      help: 'Signature algorithms that are accepted with `jwtKeys`; RS256, PS256, ES256 and EdDSA unless given.',
    },
  ),
  jwtIssuer: optional(text('a text'), { help: 'What the `iss` claim of a token has to be.' }),
  jwtAudience: optional(text('a text'), { help: 'What the `aud` claim of a token has to be or to contain.' }),
  jwtRolesClaim: setting(text('the path of a claim, with dots'), {
    default: 'roles',
    help: 'Where a token tells the roles of its holder, such as `roles` or `realm_access.roles`.',
  }),
  secretKey: optional(
    text('32 bytes as 64 hexadecimal digits or as base64', /^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$/),
    {
      help: 'Key that secrets of scripts are sealed with; without it, one is made and kept in `secret.key` in the data folder.',
      secret: true,
    },
  ),
  scriptThreads: optional(integer({ min: 1, max: 64 }), {
    help: 'Threads that run the scripts of endpoints; one for every two processor cores unless given, and two at least.',
  }),
  scriptConcurrency: setting(integer({ min: 1, max: 10_000 }), {
    default: 32,
    help: 'Runs of scripts at the same time, of all endpoints together.',
  }),
  endpointConcurrency: setting(integer({ min: 1, max: 1000 }), {
    default: 16,
    help: 'Runs at the same time of one endpoint, unless its limits say otherwise.',
  }),
  scriptQueue: setting(integer({ min: 0, max: 100_000 }), {
    default: 128,
    help: 'Runs that may wait for their turn; what is more is answered with 503.',
  }),
  scriptQueueMilliseconds: setting(integer({ min: 0, max: 60_000 }), {
    default: 5000,
    help: 'How long a run may wait for its turn before it is answered with 503.',
  }),
  historyDays: setting(integer({ min: 1, max: 36_500 }), {
    default: 365,
    help: 'Days for which runs of scripts are kept in the history.',
  }),
  historyCount: setting(integer({ min: 1 }), {
    default: 1_000_000,
    help: 'Most runs that are kept in the history; the oldest go first.',
  }),
  historyBytes: setting(byteSize({ min: 2 ** 20 }), {
    default: 2 * 2 ** 30,
    help: 'Most bytes of recorded runs in the history; the oldest go first.',
  }),
  historyBodyBytes: setting(byteSize({ min: 0 }), {
    default: 65_536,
    help: 'How much of the body of a request, and of a response, is recorded.',
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
