/**
 * Chooses gzip or zstd by an `Accept-Encoding` header (RFC 9110, section 12.5.3), and compresses bodies. The thread pool
 * compresses buffered bodies; streams are compressed chunk by chunk as they are read.
 */
import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { qualityValues, rememberingTexts } from './quality-values.ts'

/** By preference at equal weight. */
const codings = ['zstd', 'gzip'] as const

export type Coding = (typeof codings)[number]

export type AcceptedCoding = {
  /** Null means not compressed. */
  readonly coding: Coding | null
  /** Whether a body may also be sent uncompressed. */
  readonly orPlain: boolean
}

const plainly: AcceptedCoding = { coding: null, orPlain: true }

/** When no coding is acceptable, the body is sent uncompressed: a readable body is better than none. */
export function acceptedCoding(acceptEncoding: string | undefined): AcceptedCoding {
  return acceptEncoding === undefined ? plainly : read(acceptEncoding)
}

const read = rememberingTexts((acceptEncoding): AcceptedCoding => {
  const values = qualityValues(acceptEncoding)
  if (values === null) return plainly
  const weights = new Map(values.map(({ value, weight }) => [value === 'x-gzip' ? 'gzip' : value, weight]))
  const weightOf = (coding: string): number | undefined => weights.get(coding) ?? weights.get('*')
  // identity is acceptable unless it is refused. Unless it is named, it has the lowest preference.
  const plain = weightOf('identity')
  let coding: Coding | null = null
  let most = 0
  for (const name of codings) {
    const weight = weightOf(name) ?? 0
    if (weight > most) {
      coding = name
      most = weight
    }
  }
  if (coding === null || (plain ?? 0) > most) return plainly
  return { coding, orPlain: plain !== 0 }
})

/** Fast levels: higher ones cost more time than the smaller body saves on the network. */
const GZIP_LEVEL = 4
const ZSTD_LEVEL = 3

const zstdOptions = { params: { [zlib.constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }
const gzip = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gzip)
const zstd = promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdCompress)

const coders: {
  readonly [Name in Coding]: {
    readonly buffered: (body: Uint8Array) => Promise<Buffer>
    readonly stream: () => Transform
  }
} = {
  gzip: {
    buffered: (body) => gzip(body, { level: GZIP_LEVEL }),
    stream: () => zlib.createGzip({ level: GZIP_LEVEL }),
  },
  zstd: {
    buffered: (body) => zstd(body, zstdOptions),
    stream: () => zlib.createZstdCompress(zstdOptions),
  },
}

export const codeBuffered = (coding: Coding, body: Uint8Array): Promise<Buffer> =>
  coders[coding].buffered(body)

/** A stream that compresses what is written to it, as fast as its output is read. */
export const openCoder = (coding: Coding): Transform => coders[coding].stream()
