/**
 * How many connections may be open, from one address and in all, over all threads that answer requests. Each thread counts
 * its own in memory that all of them see, so that a thread that dies takes its count with it.
 */
import { hash, randomBytes } from 'node:crypto'
import { BlockList, isIPv6 } from 'node:net'

/** Of each thread, beyond the limits: for probes. */
export const SPARE_CONNECTIONS = 8

export type PlaceLimits = {
  /** Of all threads together. */
  readonly total: number
  /** 0 is no limit of its own. */
  readonly perAddress: number
}

/** Measured: 15 files for each thread, with its stores; the rest is for those that take the place of others, and for loading. */
const FILES_OF_THREAD = 16
const OTHER_FILES = 64

/** However many files may be open: so many connections take a quarter of a gigabyte. */
const MOST_CONNECTIONS = 16_384

/** What of the limit of open files is left for connections when everything else has got its own. */
export function placeLimits(
  asked: { readonly connections: number | undefined; readonly connectionsPerAddress: number | undefined },
  files: { readonly limit: number; readonly apiThreads: number; readonly scriptThreads: number },
): PlaceLimits {
  const ofApiThreads = files.apiThreads * (FILES_OF_THREAD + SPARE_CONNECTIONS)
  const room = files.limit - OTHER_FILES - ofApiThreads - files.scriptThreads * FILES_OF_THREAD
  const total = Math.max(1, Math.min(asked.connections ?? MOST_CONNECTIONS, room))
  return { total, perAddress: asked.connectionsPerAddress ?? Math.ceil(total / 2) }
}

/** Whose connections are counted together; null for a proxy, which has no limit of its own. */
export type Peer = string | null

export type Places = {
  /** Null when it is counted from now on, else which limit is reached. */
  readonly take: (peer: Peer) => 'total' | 'perAddress' | null
  readonly giveBack: (peer: Peer) => void
  /** Of all threads; never too few, and too many only where hashes of addresses meet twice. 0 for a proxy. */
  readonly of: (peer: Peer) => number
  readonly total: () => number
}

/** Addresses share counters by two independent hashes: one is counted with another only where it meets others in both. */
const COLUMNS = 8192
const SEED_BYTES = 16
const WORDS = 1 + 2 * COLUMNS

/** For so many threads; zeros cost no memory until they are counted in. */
export function placesMemory(threads: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(SEED_BYTES + threads * WORDS * Int32Array.BYTES_PER_ELEMENT)
  // Nobody can choose addresses that are counted with another one's.
  new Uint8Array(memory, 0, SEED_BYTES).set(randomBytes(SEED_BYTES))
  return memory
}

/** @param thread the number of this thread, whose counts begin at zero again */
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
      // Counted first: of two threads that look at the same moment, at least one sees both.
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
    giveBack: (peer) => add(columnsOf(peer), -1),
    of: (peer) => ofColumns(columnsOf(peer)),
    total: () => sum(0),
  }
}

/**
 * Which addresses are those of proxies.
 *
 * @param ranges addresses and ranges such as `10.0.0.0/8`, with commas between them
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
  // IPv4 addresses that are written as IPv6 are found among those of IPv4 as well.
  return (address) => address !== undefined && proxies.check(address, familyOf(address))
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** Whom an address belongs to: in IPv6 a network of 64 bits, which is what one customer has at least. */
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
