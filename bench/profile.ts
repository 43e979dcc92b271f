/**
 * Shows where Tripfolio spends its processor time under a load: the functions with the most self time, and the sum per
 * folder. The data are the profiles that Node.js writes when the process ends. Idle time is left out.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Server } from './contenders/server.ts'
import { type ServedData, startTripfolio } from './contenders/tripfolio.ts'
import type { Table } from './workload.ts'

const MOST_FUNCTIONS = 15

export type ProfileOptions = {
  /** Runs before the profiled part, such as loading the client. */
  readonly prepare?: (server: Server) => Promise<unknown>
  /** Includes the start of the process in the profile. */
  readonly withStart?: boolean
}

export async function profileOf(
  data: ServedData,
  work: (server: Server) => Promise<unknown>,
  { prepare = async () => undefined, withStart = false }: ProfileOptions = {},
): Promise<readonly Table[]> {
  const profileFolder = await mkdtemp(join(tmpdir(), 'tripfolio-bench-profile-'))
  try {
    const started = performance.now()
    const server = await startTripfolio(data, { profileFolder })
    let startMs = 0
    try {
      await prepare(server)
      startMs = performance.now() - started
      await work(server)
    } finally {
      await server.stop()
    }
    return profileTables(await readProfiles(profileFolder, server.pids), withStart ? 0 : startMs)
  } finally {
    await rm(profileFolder, { recursive: true })
  }
}

/** The parts of the file format that are used; times are in microseconds. */
type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      readonly lineNumber: number
    }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Leaves out the first `startMs` milliseconds, in which the process starts. */
function profileTables(profiles: readonly CpuProfile[], startMs: number): readonly Table[] {
  const byFunction = new Map<string, number>()
  const byFolder = new Map<string, number>()
  for (const { nodes, samples, timeDeltas } of profiles) {
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
    let clock = 0
    for (const [index, id] of samples.entries()) {
      const time = timeDeltas[index] ?? 0
      clock += time
      const frame = frames.get(id)
      if (clock < startMs * 1000 || frame === undefined || frame.functionName === '(idle)') continue
      add(byFunction, functionName(frame), time)
      add(byFolder, folderOf(frame), time)
    }
  }
  return [
    { title: 'Profile: functions by self time', rows: shares(byFunction, 'function', MOST_FUNCTIONS) },
    { title: 'Profile: folders', rows: shares(byFolder, 'folder', MOST_FUNCTIONS) },
  ]
}

/** The profiles of the server, not those of the processes it starts. CPU.DATE.TIME.PID.THREAD.NUMBER.cpuprofile */
async function readProfiles(folder: string, pids: readonly number[]): Promise<readonly CpuProfile[]> {
  const files = (await readdir(folder)).filter((name) => pids.includes(Number(name.split('.')[3])))
  return Promise.all(
    files.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as CpuProfile),
  )
}

type CallFrame = CpuProfile['nodes'][number]['callFrame']

function functionName({ functionName: name, url, lineNumber }: CallFrame): string {
  const called = name === '' ? '(anonymous)' : name
  if (url === '') return called
  const file = /(?:^|\/)(src\/.*|node_modules\/.*)$/.exec(url)?.[1] ?? url
  return `${called} ${file}:${lineNumber + 1}`
}

const NODE_PARTS: readonly (readonly [RegExp, string])[] = [
  [/^node:(_http|internal\/http|http)/, 'node:http'],
  [/^node:(net|internal\/net|internal\/stream_base)/, 'node:net'],
  [/^node:(stream|internal\/streams)/, 'node:stream'],
  [/^node:/, 'node:other'],
]

function folderOf({ functionName: name, url }: CallFrame): string {
  if (name === '(garbage collector)') return 'garbage collector'
  if (url === '') return 'native code'
  const own = /\/(src\/[^/]+)\//.exec(url)?.[1]
  const dependency = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  return dependency ?? own ?? NODE_PARTS.find(([pattern]) => pattern.test(url))?.[1] ?? 'other'
}

function shares(times: ReadonlyMap<string, number>, column: string, most: number): Table['rows'] {
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([name, time]) => ({
      [column]: `\`${name}\``,
      'share of busy time': `${((100 * time) / total).toFixed(1)} %`,
    }))
}

const add = (sums: Map<string, number>, key: string, value: number): void => {
  sums.set(key, (sums.get(key) ?? 0) + value)
}
