/**
 * Limits how many connections may be open, from one address and in total, over all threads that answer requests. Each thread
 * counts its own connections in shared memory, so that the count of a thread that dies is reset with it.
 */
import { hash, randomBytes } from 'node:crypto'
import { BlockList, isIPv6 } from 'node:net'

/** Connections per thread beyond the limits, for probes. */
export const SPARE_CONNECTIONS = 8

export type PlaceLimits = {
  /** Limit for all threads together. */
  readonly total: number
  /** 0 means no limit per address. */
  readonly perAddress: number
}

/** Measured: 15 files for each thread, with its stores. The other files are for replacements of threads and for loading. */
const FILES_OF_THREAD = 16
const OTHER_FILES = 64

/** The most connections by default, whatever the limit of open files: they take a quarter of a gigabyte. */
const MOST_CONNECTIONS = 16_384

/** Limits that follow from the limit of open files, after the files that everything else needs. */
export function placeLimits(
  asked: { readonly connections: number | undefined; readonly connectionsPerAddress: number | undefined },
  files: { readonly limit: number; readonly apiThreads: number; readonly scriptThreads: number },
): PlaceLimits {
  const ofApiThreads = files.apiThreads * (FILES_OF_THREAD + SPARE_CONNECTIONS)
  const room = files.limit - OTHER_FILES - ofApiThreads - files.scriptThreads * FILES_OF_THREAD
  const total = Math.max(1, Math.min(asked.connections ?? MOST_CONNECTIONS, room))
  return { total, perAddress: asked.connectionsPerAddress ?? Math.ceil(total / 2) }
}

/** Connections of one peer are counted together. Null is a proxy, which has no limit of its own. */
export type Peer = string | null

export type Places = {
  /** Null when the connection was counted, else the limit that is reached. */
  readonly take: (peer: Peer) => 'total' | 'perAddress' | null
  readonly release: (peer: Peer) => void
  /** Open connections of a peer in all threads: never too low, too high only when two hashes collide. 0 for a proxy. */
  readonly of: (peer: Peer) => number
  readonly total: () => number
}

/** Each address has two counters, by two independent hashes: its count is too high only when both are shared. */
const COLUMNS = 8192
const SEED_BYTES = 16
const WORDS = 1 + 2 * COLUMNS

/** Counters for this many threads. Pages of zeros take no memory until a counter in them is used. */
export function placesMemory(threads: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(SEED_BYTES + threads * WORDS * Int32Array.BYTES_PER_ELEMENT)
  // A random seed: no caller can choose addresses whose counters collide with another address.
  new Uint8Array(memory, 0, SEED_BYTES).set(randomBytes(SEED_BYTES))
  return memory
}

/** @param thread the number of this thread; its counters are set to zero */
export function openPlaces(limits: PlaceLimits, memory = placesMemory(1), thread = 0): Places {
  const seed = Buffer.from(new Uint8Array(memory, 0, SEED_BYTES)).toString('latin1')
  const words = new Int32Array(memory, SEED_BYTES)
  const first = thread * WORDS
  words.fill(0, first, first + WORDS)

  const columnsOf = (peer: Peer): readonly number[] => {
    if (peer === null) return []
    const digest = hash('sha256', seed + peer, 'buffer')
    return [1 + (digest.readUInt32LE(0) % COLUMNS), 1 + COLUMNS + (digest.readUInt32LE(4) % COLUMNS)]
  }
  const sum = (column: number): number => {
    let total = 0
    for (let at = column; at < words.length; at += WORDS) total += Atomics.load(words, at)
    return total
  }
  const add = (columns: readonly number[], change: number) => {
    for (const column of [0, ...columns]) Atomics.add(words, first + column, change)
  }
  const ofColumns = (columns: readonly number[]) => (columns.length === 0 ? 0 : Math.min(...columns.map(sum)))
  return {
    take: (peer) => {
      const columns = columnsOf(peer)
      // Count first: when two threads check at the same time, at least one sees both connections.
      add(columns, 1)
      const reached =
        sum(0) > limits.total
          ? 'total'
          : limits.perAddress > 0 && ofColumns(columns) > limits.perAddress
            ? 'perAddress'
            : null
      if (reached !== null) add(columns, -1)
      return reached
    },
    release: (peer) => add(columnsOf(peer), -1),
    of: (peer) => ofColumns(columnsOf(peer)),
    total: () => sum(0),
  }
}

/**
 * Returns a function that says whether an address belongs to a proxy.
 *
 * @param ranges addresses and ranges such as `10.0.0.0/8`, separated by commas
 */
export function proxyCheck(ranges: string | undefined): (address: string | undefined) => boolean {
  if (ranges === undefined) return () => false
  const proxies = new BlockList()
  for (const range of ranges.split(',')) {
    const [address = '', bits] = range.trim().split('/')
    const family = familyOf(address)
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  // BlockList also finds IPv4 addresses that are written as IPv6.
  return (address) => address !== undefined && proxies.check(address, familyOf(address))
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** The peer of an address: in IPv6 its network of 64 bits, the least that a provider gives one customer. */
export function peerOf(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  const version4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (version4 !== undefined) return version4
  if (!isIPv6(address)) return address
  const [before = '', after] = address.replace(/%.*$/, '').split('::')
  const groups = before === '' ? [] : before.split(':')
  const missing = after === undefined ? 0 : 8 - groups.length - (after === '' ? 0 : after.split(':').length)
  const whole = [...groups, ...new Array<string>(missing).fill('0'), ...(after ? after.split(':') : [])]
  return `${whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
