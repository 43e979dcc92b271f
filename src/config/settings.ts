/**
 * Every setting, one row each: name, type, default, help, and whether the value is a secret. The Config type, the
 * environment variables, `config print` and docs/reference/settings.md all derive from this table.
 */
import { figureSettings } from './figure-settings.ts'
import { operatorSettings } from './operator-settings.ts'
import { outboundSettings } from './outbound-settings.ts'
import { optional, type Setting, setting } from './setting.ts'
import {
  addressRanges,
  basePath,
  byteSize,
  cronPattern,
  databaseUrl,
  day,
  decimal,
  extractSource,
  hosts,
  integer,
  listenAddress,
  oneOf,
  type SettingType,
  share,
  text,
  webOrigins,
} from './setting-types.ts'

export type { Setting } from './setting.ts'

/** Steps and maximum are those that the token bucket in auth/limits can count. */
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
  operatorListen: optional(listenAddress, {
    help: 'Address and port for operators, such as `127.0.0.1:9090`. It answers everything; `/metrics`, `/docs` and `/openapi.json` are then answered only there, and are 404 at the public address. `/livez` and `/readyz` are answered at both. Port 0 lets the system choose one.',
  }),
  threads: optional(integer({ min: 1, max: 256 }), {
    help: 'Threads that answer requests, all on the same port; by default one for each processor core.',
  }),
  connections: optional(integer({ min: 1 }), {
    help: 'Most connections open at the same time; on further ones only `/livez`, `/readyz` and `/metrics` are answered. The limit of open files (`ulimit -n`) sets an upper bound, which is also the default.',
  }),
  connectionsPerAddress: optional(integer({ min: 0 }), {
    help: 'Most connections open at the same time from one address (in IPv6 from one network of 64 bits); by default half of `connections`; 0 means that only `connections` limits them. A reverse proxy is one address: name it in `trustedProxies`, which are exempt.',
  }),
  readerIdleSeconds: setting(integer({ min: 1, max: 86_400 }), {
    default: 60,
    help: 'How long a caller may read nothing of its answer before the connection is closed, in seconds.',
  }),
  drainMilliseconds: setting(integer({ min: 0, max: 600_000 }), {
    default: 250,
    help: 'How long the service still accepts connections after a signal to stop, in milliseconds: `/readyz` answers 503, and every answer closes its connection. Behind a load balancer, set it to the time that the balancer takes to notice; less than `stopSeconds`.',
  }),
  stopSeconds: setting(integer({ min: 1, max: 86_400 }), {
    default: 30,
    help: 'How long requests may still take after a signal to stop, in seconds; then the rest is cut off, and the exit code is 3. Runs of scripts are cancelled 4 s before, or after half of it if it is shorter than 8 s.',
  }),
  store: optional(databaseUrl, {
    help: 'PostgreSQL database of the control store and the history, for several nodes on the same accounts and endpoints, such as `postgres://user:password@host:5432/tripfolio`; by default they are files of SQLite in the data folder.',
    secret: true,
  }),
  storeConnections: setting(integer({ min: 2, max: 1000 }), {
    default: 4,
    help: 'Most connections that each thread opens to the database of `store`.',
  }),
  engine: setting(oneOf('memory', 'postgres'), {
    default: 'memory',
    help: 'Where queries for records are executed: `memory` reads snapshot files into the memory of the service; `postgres` has the records in tables of a PostgreSQL database, distributed over its nodes where the extension Citus is there.',
  }),
  engineUrl: optional(databaseUrl, {
    help: 'PostgreSQL database of the records with `engine` `postgres`; by default that of `store`.',
    secret: true,
  }),
  engineConnections: setting(integer({ min: 2, max: 1000 }), {
    default: 12,
    help: 'Most connections that each thread opens to the database of `engineUrl`.',
  }),
  snapshots: optional(
    text(
      's3://bucket/prefix or the path of a folder',
      /^(?!s3:|[A-Za-z][\w+.-]*:\/\/)\S|^s3:\/\/[^/]+(?:\/\S*)?$/,
    ),
    {
      help: 'Where several nodes share the snapshots: `s3://bucket/prefix`, with endpoint, region and credentials in the standard variables of the AWS SDK, or a shared folder; by default the snapshots are in the data folder of one node.',
    },
  ),
  snapshotCacheBytes: setting(byteSize({ min: 2 ** 20 }), {
    default: 10 * 2 ** 30,
    help: 'Disk space in the data folder for files of shared `snapshots`, in bytes; the least recently used files are removed first.',
  }),
  source: optional(extractSource, {
    help: 'What a refresh reads: the folder of an extract, or the URL of a warehouse in PostgreSQL, such as `postgres://user:password@host:5432/warehouse`. The password may also be in `PGPASSWORD` or in the file that `PGPASSFILE` names.',
  }),
  mapping: optional(text('the path of a file'), {
    help: 'File with the SQL of each table for a `source` that is a URL; without it, tables and views with the names of the tables are read. The folder of an extract has its own file `tripfolio.sql` instead.',
  }),
  refresh: optional(cronPattern, {
    help: 'When to refresh from the source, as a cron pattern; without it a refresh runs only on request.',
  }),
  demoBookings: setting(integer({ min: 100, max: 1_000_000 }), {
    default: 5000,
    help: 'Bookings of the demo that the first start on an empty data folder makes.',
  }),
  demoToday: optional(day, {
    help: 'The day that the demo of the first start takes for today: its trips lie around this day; by default the day of that start.',
  }),
  retainSnapshots: setting(integer({ min: 1 }), {
    default: 3,
    help: 'How many snapshots are kept, the current one included. Those that hold the same records as the one after them do not push out others.',
  }),
  changesDays: setting(integer({ min: 0, max: 36_500 }), {
    default: 30,
    help: 'For how many days beyond the oldest snapshot it is kept what changed, so that callers can ask for the changes since then. What is kept takes about 110 bytes for each changed record.',
  }),
  maxRejectShare: setting(share, {
    default: 0.05,
    help: 'Largest share of rejected records in any one table; above it a refresh is not published.',
  }),
  maxTableShrink: setting(share, {
    default: 0.3,
    help: 'Largest share of its rows that any one table may lose against the current snapshot; above it a refresh is not published. 1 allows any loss.',
  }),
  maxClientsEmptied: setting(share, {
    default: 0.1,
    help: 'Largest share of clients that may lose all of their bookings or all of their invoices; above it a refresh is not published. 1 allows any loss, and the loss of a single client is always allowed.',
  }),
  labelsPerClient: setting(integer({ min: 1 }), {
    default: 1000,
    help: 'Most custom labels of one client; the first ones in the order of their text are kept, the rest is set aside.',
  }),
  offsetTimes: setting(oneOf('keepLocal', 'refuse'), {
    default: 'keepLocal',
    help: 'What a refresh does with times that have an offset from UTC, such as `2025-01-02T10:30+10:00`: `keepLocal` keeps the local time and drops the offset, `refuse` sets the rows aside.',
  }),
  refreshTimeLimitSeconds: setting(integer({ min: 1, max: 604_800 }), {
    default: 3600,
    help: 'How long a refresh may take, in seconds; a longer one is stopped, and the current snapshot stays.',
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
  applyDimensions: setting(integer({ min: 1 }), {
    default: 8,
    help: 'Most dimensions of `groupby` in `$apply`.',
  }),
  applyAggregates: setting(integer({ min: 1 }), {
    default: 16,
    help: 'Most aggregates in one `$apply`.',
  }),
  applyGroups: setting(integer({ min: 1, max: 10_000_000 }), {
    default: 100_000,
    help: 'Most groups of one `$apply`, on all its pages together.',
  }),
  applyBytes: setting(byteSize({ min: 2 ** 20 }), {
    default: 64 * 2 ** 20,
    help: 'Memory for the groups of one `$apply`: 8 bytes per member of each group, and 16 for each distinct value that `countdistinct` counts in a group.',
  }),
  unknownLabels: setting(oneOf('refuse', 'null'), {
    default: 'refuse',
    help: 'What a filter with a custom label that the client does not have gets: `refuse` answers 400 with the nearest labels; `null` takes the label as null in every record.',
  }),
  requestRowsScanned: setting(integer({ min: 0 }), {
    default: 2_000_000_000,
    help: 'Most rows that one request may read; a searched text counts as 8 rows, a searched amount as 100 or more. A query that is certain to need more is answered with 400, one that exceeds the limit while it runs with 503. 0 means no limit.',
  }),
  requestCpuMs: setting(integer({ min: 0 }), {
    default: 2000,
    help: 'Most processor time for finding the records of one request, in milliseconds; a request that needs more is stopped with 503. 0 means no limit.',
  }),
  requestLineBytes: setting(integer({ min: 1024, max: 1_048_576 }), {
    default: 16_384,
    help: 'Longest request line, in bytes; a longer one is answered with 414.',
  }),
  rateLimitV1: setting(requestRate, {
    default: 50,
    help: 'Requests per second that each account may send to version 1; further ones are answered with 429. 0 means no limit. Each node counts for itself.',
  }),
  rateBurstV1: setting(requestBurst, {
    default: 200,
    help: 'Requests that an account may send to version 1 at once after a pause, before `rateLimitV1` applies.',
  }),
  rateLimitV2: setting(requestRate, {
    default: 0,
    help: 'Requests per second that each account may send to version 2; further ones are answered with 429. 0 means no limit. Each node counts for itself.',
  }),
  rateBurstV2: setting(requestBurst, {
    default: 200,
    help: 'Requests that an account may send to version 2 at once after a pause, before `rateLimitV2` applies.',
  }),
  failedAuthPerMinute: setting(integer({ min: 0, max: 60_000 }), {
    default: 30,
    help: 'Requests per minute without a valid credential that are answered with 401 for each address; further ones are answered with 429. Requests with a valid credential are not affected. 0 means no limit.',
  }),
  failedAuthBurst: setting(integer({ min: 1, max: 1_000_000 }), {
    default: 20,
    help: 'Requests without a valid credential that an address may send at once after a pause, before `failedAuthPerMinute` applies.',
  }),
  basePath: optional(basePath, {
    help: 'The path below which a reverse proxy offers the service, such as `/travel`, whether or not the proxy removes it from addresses. By default the service is at the root of its host.',
  }),
  trustedProxies: optional(addressRanges, {
    help: 'Proxies whose `X-Forwarded-For` and `X-Forwarded-Prefix` are trusted and which are exempt from `connectionsPerAddress`: IP addresses and ranges such as `10.0.0.0/8`, separated by commas; by default none.',
  }),
  trustedHosts: optional(hosts, {
    help: 'Hosts to which the service may send webhooks and requests of scripts by http and at private addresses, and mail without TLS: names, IP addresses and ranges such as `hooks.internal,10.0.0.0/8`, separated by commas; by default only https to public addresses. Which hosts a script may ask at all, `allowedHosts` of its endpoint says.',
  }),
  clientWebhooks: setting(oneOf('refuse', 'allow'), {
    default: 'refuse',
    help: 'Whether accounts may register webhooks for themselves with their API key (`/api/events/v1/webhooks`); operators always may.',
  }),
  eventStreams: setting(integer({ min: 1, max: 100_000 }), {
    default: 1000,
    help: 'Most streams of changes (`/api/events/v1/stream`) that each thread which answers requests has open; further ones are answered with 429. Each takes a connection.',
  }),
  eventStreamsPerClient: setting(integer({ min: 1, max: 100_000 }), {
    default: 100,
    help: 'Most of these streams of all accounts of one client together, for each thread.',
  }),
  eventStreamsPerAccount: setting(integer({ min: 1, max: 100_000 }), {
    default: 10,
    help: 'Most of these streams of one account, for each thread.',
  }),
  eventDays: setting(integer({ min: 1, max: 3650 }), {
    default: 30,
    help: 'Days for which the deliveries of webhooks and the events of streams are kept.',
  }),
  corsOrigins: optional(webOrigins, {
    help: 'Origins whose web pages may call the client data API and dynamic endpoints in a browser (CORS), such as `https://portal.example.com`, separated by commas; `*` means all; by default none.',
  }),
  accountConcurrency: optional(integer({ min: 0, max: 1000 }), {
    help: 'Requests for records of one account that each thread computes at the same time; further ones wait for their turn. By default 4, and with `engine` `postgres`, which computes on other processors, two thirds of `engineConnections`. 0 switches off every limit on computing: this one, `requestConcurrency`, `accountQueue` and `loadSheddingDelayMilliseconds`.',
  }),
  requestConcurrency: setting(integer({ min: 1, max: 10_000 }), {
    default: 16,
    help: 'Requests for records of all accounts together that each thread computes at the same time.',
  }),
  accountQueue: setting(integer({ min: 0, max: 100_000 }), {
    default: 64,
    help: 'Requests of one account that may wait for their turn in each thread; further ones are answered with 429.',
  }),
  accountQueueMilliseconds: setting(integer({ min: 1, max: 60_000 }), {
    default: 5000,
    help: 'How long a request may wait for its turn, in milliseconds; then it is answered with 429, or with 503 if requests of other accounts took the turns.',
  }),
  loadSheddingDelayMilliseconds: setting(integer({ min: 0, max: 60_000 }), {
    default: 250,
    help: 'Lasting delay of the event loop of a thread, in milliseconds, above which the thread answers 503 to accounts that it is already serving; above twice the delay, to all accounts. 0 means no limit.',
  }),
  logLevel: setting(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), {
    default: 'info',
    help: 'Least important kind of log line that is written.',
  }),
  logFormat: setting(oneOf('auto', 'json', 'pretty'), {
    default: 'auto',
    help: 'Form of the log lines; `auto` is pretty on a terminal and JSON elsewhere.',
  }),
  logBufferBytes: setting(byteSize({ min: 2 ** 16 }), {
    default: 8 * 2 ** 20,
    help: 'Memory for log lines that wait because the reader of standard output does not keep up, in bytes. Further lines are dropped and counted in `tripfolio_log_lines_dropped_total`.',
  }),
  memoryBudget: setting(byteSize({ min: 2 ** 20 }), {
    default: 2 * 2 ** 30,
    help: 'Memory for the data of clients, in bytes of their snapshot files. Beyond it the least recently used clients are evicted until their next request; if that is not enough, stalled answers that are read from replaced files are cut off.',
  }),
  warmUp: setting(oneOf('accounts', 'none'), {
    default: 'accounts',
    help: 'Which clients to load when a snapshot is announced: `accounts` loads those with an account, within the memory budget, and the newest changes of lists whose changes were asked for since the start; `none` loads none.',
  }),
  ...operatorSettings,
  secretKey: optional(
    text('32 bytes as 64 hexadecimal digits or as base64', /^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$/),
    {
      help: 'Key that encrypts the secrets of scripts and seals the accounts; without it, one is made and kept in `secret.key` in the data folder.',
      secret: true,
    },
  ),
  scriptThreads: optional(integer({ min: 1, max: 64 }), {
    help: 'Threads that run the scripts of endpoints; by default one for every two processor cores, and at least two.',
  }),
  scriptConcurrency: setting(integer({ min: 1, max: 10_000 }), {
    default: 32,
    help: 'Runs of scripts of all endpoints together that work at the same time. A run that waits for something slow, such as a database, leaves its place to another run.',
  }),
  scriptRuns: setting(integer({ min: 1, max: 100_000 }), {
    default: 128,
    help: 'Runs of scripts of all endpoints together that exist at the same time: those that work, and those that wait for something slow. Each takes memory, by default up to 64 MiB for its values, within `scriptThreadMemory`. At least `scriptConcurrency`.',
  }),
  scriptThreadMemory: setting(byteSize({ min: 2 ** 28 }), {
    default: 2 ** 30,
    help: 'Memory of each thread that runs scripts. The values of its runs share three fifths of what is beyond 64 MiB: when they need more, the run that holds the most is ended with 503. Raise it together with `scriptRuns`, or with the memory limits of endpoints.',
  }),
  bodyKeys: setting(integer({ min: 1 }), {
    default: 10_000,
    help: 'Most different keys in the body of a call of an endpoint, because each takes memory; a body with more is refused with 400.',
  }),
  endpointConcurrency: setting(integer({ min: 1, max: 1000 }), {
    default: 16,
    help: 'Runs of one endpoint at the same time, unless its limits say otherwise.',
  }),
  scriptCallDepth: setting(integer({ min: 0, max: 100 }), {
    default: 4,
    help: 'How many runs of scripts, each called by the one before with `HttpRequest`, may stand before a request to this service; a further one is answered with 508. 0 keeps scripts from calling this service.',
  }),
  scriptQueue: setting(integer({ min: 0, max: 100_000 }), {
    default: 128,
    help: 'Runs that may wait for their turn; further ones are answered with 503.',
  }),
  scriptQueueMilliseconds: setting(integer({ min: 0, max: 60_000 }), {
    default: 5000,
    help: 'How long a run may wait for its turn, in milliseconds; then it is answered with 503.',
  }),
  ...outboundSettings,
  historyDays: setting(integer({ min: 1, max: 36_500 }), {
    default: 365,
    help: 'Days for which runs of scripts are kept in the history.',
  }),
  historyCount: setting(integer({ min: 1 }), {
    default: 1_000_000,
    help: 'Most runs that are kept in the history; the oldest are removed first.',
  }),
  historyBytes: setting(byteSize({ min: 2 ** 20 }), {
    default: 2 * 2 ** 30,
    help: 'Most bytes of recorded runs in the history; the oldest are removed first.',
  }),
  historyBodyBytes: setting(byteSize({ min: 0 }), {
    default: 65_536,
    help: 'Most bytes of the body of a request, and of a response, that are recorded.',
  }),
  ...figureSettings,
} as const satisfies Readonly<Record<string, Setting<unknown>>>

export type SettingName = keyof typeof settings

/** The value of each setting. Optional settings are `undefined` when no source gives them. */
export type SettingValues = { readonly [Name in SettingName]: SettingValue<(typeof settings)[Name]> }

type SettingValue<S> = S extends { readonly type: SettingType<infer T>; readonly default: infer Default }
  ? T | Extract<Default, undefined>
  : never

export const settingNames = Object.keys(settings) as readonly SettingName[]

/** `retainSnapshots` is `TRIPFOLIO_RETAIN_SNAPSHOTS` in the environment. */
export const variableOf = (name: string): string =>
  `TRIPFOLIO_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`

/** A value as it is shown to a person. */
export function showSetting(setting: Setting<unknown>, value: unknown): string {
  if (value === undefined) return '(not set)'
  return setting.secret ? '(hidden)' : setting.type.show(value)
}
