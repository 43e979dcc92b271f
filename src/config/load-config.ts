/**
 * Determines every setting once, at the start. Flags win over the environment, the environment over the configuration file,
 * the file over the default. Refuses unknown names and bad values, all of them in one problem. The result is frozen;
 * nothing reads the environment or the file again.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { closest } from '../kernel/closest.ts'
import type { RoleMapping } from '../kernel/user.ts'
import { operatorFaults, readRoleMapping } from './operator-settings.ts'
import { dataFolderNotReadable, type SettingFault, SettingsProblem } from './problems.ts'
import { isServiceLink } from './service-links.ts'
import type { Setting } from './setting.ts'
import { readListenAddress } from './setting-types.ts'
import { type SettingName, type SettingValues, settingNames, settings, variableOf } from './settings.ts'

export type SettingSource = 'flag' | 'environment' | 'file' | 'default'

export type Config = SettingValues & {
  /** Where each value came from. */
  readonly sources: Readonly<Record<SettingName, SettingSource>>
  /** Set by the start of a service that is quiet for itself: since when, by whom and why. */
  readonly startedQuiet?: { readonly at: string; readonly by: string; readonly reason: string }
}

export type ConfigInput = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** By setting name, as the command line gave them; names that are not settings are ignored. */
  readonly flags?: Readonly<Record<string, unknown>>
  /** A configuration file that must exist, instead of the optional `<data>/tripfolio.json`. */
  readonly file?: string
}

/** One source of settings. Layers are in order of precedence. */
type Layer = {
  readonly source: SettingSource
  readonly values: Readonly<Record<string, unknown>>
  /** How a setting is written in this source, for messages. */
  readonly written: (name: string) => string
}

export function loadConfig({ env, flags = {}, file }: ConfigInput): Config {
  const faults: SettingFault[] = []
  const above = [flagLayer(flags), environmentLayer(env, faults)]
  const layers = [...above, fileLayer(file, dataFolder(above), faults)]
  const values: Record<string, unknown> = {}
  const sources: Record<string, SettingSource> = {}
  for (const name of settingNames) {
    const { value, source } = settle(name, layers, faults)
    values[name] = value
    sources[name] = source
  }
  const writtenOf = (name: SettingName) =>
    layers.find(({ source }) => source === sources[name])?.written(name) ?? variableOf(name)
  if (faults.length === 0) faults.push(...contradictions(values as SettingValues, writtenOf))
  if (faults.length > 0) throw new SettingsProblem(faults)
  return Object.freeze({ ...values, sources: Object.freeze(sources) }) as Config
}

/** Faults of values that are valid alone, but not together. */
function contradictions(
  values: SettingValues,
  writtenOf: (name: SettingName) => string,
): readonly SettingFault[] {
  const { drainMilliseconds, stopSeconds, operatorListen, port, engine, engineUrl, store, snapshots } = values
  const { smtpUrl, smtpFrom } = values
  const faults: SettingFault[] = []
  // Otherwise requests that arrive at the end of the drain would be cut off at once.
  if (drainMilliseconds >= 1000 * stopSeconds) {
    const expected = `less than ${writtenOf('stopSeconds')} (${stopSeconds} s)`
    faults.push(fault(writtenOf('drainMilliseconds'), expected, quote(drainMilliseconds)))
  }
  // On Linux both would listen, and each would get some of the connections.
  if (port !== 0 && operatorAddress(values)?.port === port) {
    const expected = `another port than ${writtenOf('port')} (${port})`
    faults.push(fault(writtenOf('operatorListen'), expected, quote(operatorListen)))
  }
  if (engine === 'postgres' && engineUrl === undefined && store === undefined) {
    const expected = `memory, unless ${writtenOf('engineUrl')} or ${writtenOf('store')} names a database`
    faults.push(fault(writtenOf('engine'), expected, quote(engine)))
  }
  // The records would be published in one of the two, and looked for in the other.
  if (engine === 'postgres' && snapshots !== undefined) {
    const expected = `nothing with ${writtenOf('engine')} postgres, which keeps snapshots in its database`
    faults.push(fault(writtenOf('snapshots'), expected, quote(snapshots)))
  }
  if (smtpUrl !== undefined && smtpFrom === undefined) {
    const expected = `it together with ${writtenOf('smtpFrom')}, the sender`
    faults.push(fault(writtenOf('smtpUrl'), expected, 'it alone'))
  }
  const asWritten = (text: string) =>
    text.replaceAll(/\w+/g, (name) => (isSettingName(name) ? writtenOf(name) : name))
  for (const { setting, expected, found } of operatorFaults(values))
    faults.push(fault(writtenOf(setting), asWritten(expected), asWritten(found)))
  return faults
}

/** The roles that the roles of tokens give; null when the names are the same. */
export const adminRoles = ({ adminRoles: mapping }: Pick<SettingValues, 'adminRoles'>): RoleMapping | null =>
  mapping === undefined ? null : readRoleMapping(mapping)

/** Where operators have an address of their own; null where they have none. */
export const operatorAddress = ({ operatorListen }: Pick<SettingValues, 'operatorListen'>) =>
  operatorListen === undefined ? null : readListenAddress(operatorListen)

/** The limits on a query, as one value for the query languages: their messages name these settings. */
export const queryLimits = (config: SettingValues) => ({
  parameterLength: config.parameterLength,
  filterNodes: config.filterNodes,
  filterDepth: config.filterDepth,
  listItems: config.listItems,
  sortClauses: config.sortClauses,
  applyDimensions: config.applyDimensions,
  applyAggregates: config.applyAggregates,
})

/** How much one aggregation may hold. */
export const groupLimits = (config: SettingValues) => ({
  groups: config.applyGroups,
  bytes: config.applyBytes,
})

/** What one request may cost; infinite where there is no limit. */
export const workBudget = (config: SettingValues) => ({
  rowsScanned: config.requestRowsScanned || Infinity,
  cpuMs: config.requestCpuMs || Infinity,
})

/**
 * The database in which a refresh locks out the refreshes of other nodes; undefined where it publishes into the data folder of
 * its own node alone.
 */
export const refreshDatabase = ({
  engine,
  engineUrl,
  snapshots,
  store,
}: Pick<Config, 'engine' | 'engineUrl' | 'snapshots' | 'store'>): string | undefined => {
  if (engine === 'postgres') return engineUrl ?? store
  return snapshots === undefined ? undefined : store
}

/** The limit on each account's requests by version of the API; null where there is none. */
export const rateLimits = (config: SettingValues) => ({
  v1: rateLimit(config.rateLimitV1, config.rateBurstV1),
  v2: rateLimit(config.rateLimitV2, config.rateBurstV2),
})

/** The limit on failed authentications of one address; null where there is none. Rates are rounded down to thousandths. */
export const failedAuthLimit = ({ failedAuthPerMinute, failedAuthBurst }: SettingValues) =>
  rateLimit(Math.floor((failedAuthPerMinute * 1000) / 60) / 1000, failedAuthBurst)

export const corsOrigins = ({ corsOrigins: origins }: SettingValues): readonly string[] =>
  origins?.split(',').map((origin) => origin.trim()) ?? []

/** The limits on what each thread computes at the same time; null where there are none. */
export const admissionLimits = (config: SettingValues) =>
  config.accountConcurrency === 0
    ? null
    : {
        running: config.requestConcurrency,
        runningOfOne: config.accountConcurrency ?? defaultAccountConcurrency(config),
        waitingOfOne: config.accountQueue,
        waitMs: config.accountQueueMilliseconds,
        lateMs: config.loadSheddingDelayMilliseconds,
      }

/** On another machine, more questions at once are answered sooner. The other connections are for the other accounts. */
const defaultAccountConcurrency = ({ engine, engineConnections }: SettingValues): number =>
  engine === 'postgres' ? Math.floor((2 * engineConnections) / 3) : 4

/** How much one run of a script may send. */
export const outboundLimits = (config: SettingValues) => ({
  httpRequests: config.httpRequestsPerRun,
  httpBytes: config.httpBytesPerRun,
  mailRecipients: config.mailRecipientsPerRun,
  mailBytes: config.mailBytesPerRun,
})

const rateLimit = (rate: number, burst: number) => (rate === 0 ? null : { rate, burst })

const flagLayer = (flags: Readonly<Record<string, unknown>>): Layer => ({
  source: 'flag',
  values: flags,
  written: (name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
})

/** An empty variable counts as not given: compose files and service units switch a setting off like that. */
function environmentLayer(env: ConfigInput['env'], faults: SettingFault[]): Layer {
  const nameOf = new Map<string, SettingName>(settingNames.map((name) => [variableOf(name), name]))
  const values: Record<string, unknown> = {}
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('TRIPFOLIO_') || variable.startsWith('TRIPFOLIO_TEST_')) continue
    if (isServiceLink(variable, value)) continue
    const name = nameOf.get(variable)
    if (name === undefined) faults.push(unknownName(variable, variable, nameOf.keys()))
    else if (value !== '') values[name] = value
  }
  return { source: 'environment', values, written: variableOf }
}

function fileLayer(required: string | undefined, folder: string, faults: SettingFault[]): Layer {
  const path = required ?? join(folder, 'tripfolio.json')
  const written = (name: string) => `${name} in ${path}`
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(readSettingsFile(path, required !== undefined, faults))) {
    if (name === 'data' && required === undefined) faults.push(dataInItsOwnFile(written(name)))
    else if (isSettingName(name)) values[name] = value
    else faults.push(unknownName(written(name), plainName(name), settingNames))
  }
  return { source: 'file', values, written }
}

/** The data folder that flags or environment name: the configuration file lies in it. */
function dataFolder(layers: readonly Layer[]): string {
  const given = layers.map((layer) => settings.data.type.read(layer.values.data))
  return given.find((folder) => folder !== undefined) ?? settings.data.default
}

function readSettingsFile(path: string, required: boolean, faults: SettingFault[]): object {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code
    if (reason === 'EACCES' && !required) throw dataFolderNotReadable(path, error)
    const absent = reason === 'ENOENT' || reason === 'ENOTDIR'
    if (required || !absent) faults.push(fault(path, 'a readable file', reason ?? String(error)))
    return {}
  }
  try {
    const parsed: unknown = JSON.parse(content.replace(/^\uFEFF/, ''))
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
    faults.push(fault(path, 'a JSON object with one member per setting', quote(parsed)))
  } catch (error) {
    faults.push(fault(path, 'JSON', `text that is not (${(error as Error).message})`))
  }
  return {}
}

/** The value of the highest layer that gives one. Lower layers are read too, so that their faults are reported. */
function settle(
  name: SettingName,
  layers: readonly Layer[],
  faults: SettingFault[],
): { value: unknown; source: SettingSource } {
  const setting: Setting<unknown> = settings[name]
  let settled: { value: unknown; source: SettingSource } | undefined
  for (const { source, values, written } of layers) {
    const raw = values[name]
    if (raw === undefined) continue
    const value = setting.type.read(raw)
    if (raw === null && value === undefined) continue // given as not set
    if (value === undefined) faults.push(badValue(written(name), setting, raw))
    else settled ??= { value, source }
  }
  return settled ?? { value: setting.default, source: 'default' }
}

/** A name in the spelling of a flag or of a variable, without what the file does not write: `--port`, `TRIPFOLIO_PORT`. */
const plainName = (name: string): string => name.replace(/^TRIPFOLIO_/i, '').replaceAll(/[-_]/g, '')

const isSettingName = (name: string): name is SettingName => Object.hasOwn(settings, name)

const badValue = (written: string, setting: Setting<unknown>, raw: unknown): SettingFault =>
  fault(written, setting.type.expected, setting.secret ? 'something else (hidden)' : quote(raw))

/** The value of an unknown name is not shown: it may be a secret under a mistyped name. */
const unknownName = (written: string, name: string, known: Iterable<string>): SettingFault =>
  fault(written, 'the name of a setting', 'an unknown name', closest(name, known))

const dataInItsOwnFile = (written: string): SettingFault =>
  fault(written, 'the data folder as --data or TRIPFOLIO_DATA', 'it in the file that lies in that folder')

const fault = (setting: string, expected: string, found: string, nearest?: string): SettingFault => ({
  setting,
  expected,
  found,
  nearest,
})

/** Without the user name and password of a URL. */
function quote(raw: unknown): string {
  const text = typeof raw === 'string' ? `'${raw}'` : JSON.stringify(raw)
  const written = text.replaceAll(/:\/\/\S*@/g, '://(hidden)@')
  return written.length > 80 ? `${written.slice(0, 77)}...` : written
}
