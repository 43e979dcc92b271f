/**
 * Objects in a bucket of S3, or of a service that speaks its protocol. Endpoint, region and credentials come from where the AWS
 * SDK looks for them, and the SDK repeats what failed for a moment. The bucket is in the path of every request, because
 * not every service answers at a host name for each bucket.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { type ObjectContent, type ObjectStore, portions, type StoredObject } from './object-store.ts'

/** Larger objects are sent in parts of this size, so that only a part is copied, and sent again when it fails. */
const PART_BYTES = 16 * 2 ** 20

/** What one request can delete. */
const MOST_DELETED = 1000

const ATTEMPTS = 4
const CONNECT_MS = 2000
const IDLE_MS = 10_000
const MOST_SOCKETS = 64

/** What is read of an answer that is no object: an error, or a page of a list, which has 1,000 keys. */
const MOST_ANSWER_BYTES = 8 * 2 ** 20
const MOST_ANSWER_MS = 60_000
/** Pages one after the other that tell of no further object. */
const MOST_EMPTY_PAGES = 100

export type BucketLocation = { readonly bucket: string; readonly prefix: string }

export function openS3Store({ bucket, prefix }: BucketLocation): ObjectStore {
  const sockets = { keepAlive: true, maxSockets: MOST_SOCKETS }
  const client = new S3Client({
    forcePathStyle: true,
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: IDLE_MS,
      httpAgent: sockets,
      httpsAgent: sockets,
    },
    // Every upload has its SHA-256 and every download is checked against it, which services other than AWS support as well.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args)
        const answer = result.response as { readonly statusCode: number; body: unknown }
        const isObject = commandName === 'GetObjectCommand' && answer.statusCode < 300
        if (!isObject && answer.body instanceof Readable) answer.body = Readable.from(bounded(answer.body))
        return result
      },
    // Before the SDK reads it, which has no limit.
    { name: 'boundedAnswers', step: 'deserialize', priority: 'low' },
  )
  const place = (key: string) => ({ Bucket: bucket, Key: prefix + key })
  return {
    name: `s3://${bucket}/${prefix}`.replace(/\/$/, ''),
    put: (key, content) => put(client, place(key), content),
    get: async (key, abortSignal) => {
      const answer = await client.send(new GetObjectCommand(place(key)), { abortSignal }).catch(nullIfMissing)
      if (answer === null) return null
      if (!(answer.Body instanceof Readable)) throw new Error('The answer has no body')
      return answer.Body
    },
    list: async function* (folder) {
      let last = ''
      let emptyPages = 0
      for (let token: string | undefined; ; ) {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + folder, ContinuationToken: token }),
        )
        emptyPages++
        for (const { Key: key = '', Size: bytes = 0 } of page.Contents ?? []) {
          if (!key.startsWith(prefix + folder))
            throw new Error(`The list has '${key}', which was not asked for`)
          yield { key: key.slice(prefix.length), bytes } satisfies StoredObject
          if (key > last) emptyPages = 0
          if (key > last) last = key
        }
        if (emptyPages > MOST_EMPTY_PAGES) throw new Error('The list does not end')
        token = page.IsTruncated ? page.NextContinuationToken : undefined
        if (token === undefined) return
      }
    },
    delete: async (keys) => {
      for (let from = 0; from < keys.length; from += MOST_DELETED) {
        const Objects = keys.slice(from, from + MOST_DELETED).map((key) => ({ Key: prefix + key }))
        const { Errors: [error] = [] } = await client.send(
          new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
        )
        if (error !== undefined) throw new Error(`'${error.Key}' was not deleted: ${error.Message}`)
      }
    },
    exists: async (key) =>
      (await client.send(new HeadObjectCommand(place(key))).catch(nullIfMissing)) !== null,
    close: () => client.destroy(),
  }
}

type Place = { readonly Bucket: string; readonly Key: string }

async function put(client: S3Client, place: Place, { chunks, bytes, sha256 }: ObjectContent): Promise<void> {
  if (bytes > PART_BYTES) return putParts(client, place, chunks)
  const Body = Buffer.concat(chunks)
  const sums = { md5: digest('md5', Body), sha256: Buffer.from(sha256, 'hex').toString('base64') }
  const command = new PutObjectCommand({ ...place, Body, ContentMD5: sums.md5, ChecksumSHA256: sums.sha256 })
  confirm(place, sums, await client.send(command))
}

async function putParts(client: S3Client, place: Place, chunks: readonly Uint8Array[]): Promise<void> {
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({ ...place, ChecksumAlgorithm: 'SHA256' }),
  )
  try {
    const Parts: CompletedPart[] = []
    for (const Body of portions(chunks, PART_BYTES)) {
      const PartNumber = Parts.length + 1
      const sums = { md5: digest('md5', Body), sha256: digest('sha256', Body) }
      const answer = await client.send(
        new UploadPartCommand({
          ...place,
          UploadId,
          PartNumber,
          Body,
          ContentMD5: sums.md5,
          ChecksumSHA256: sums.sha256,
        }),
      )
      confirm(place, sums, answer)
      Parts.push({ PartNumber, ETag: answer.ETag, ChecksumSHA256: answer.ChecksumSHA256 })
    }
    await client.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } }))
  } catch (error) {
    // A part that arrives later would keep the upload. Buckets should have a rule that removes such remains.
    await client.send(new AbortMultipartUploadCommand({ ...place, UploadId })).catch(() => undefined)
    throw error
  }
}

type Sums = { readonly md5: string; readonly sha256: string }
type Stored = {
  readonly ETag?: string | undefined
  readonly ChecksumSHA256?: string | undefined
  readonly ServerSideEncryption?: string | undefined
}

/**
 * Services that verify the SHA-256 repeat it in the answer; the others name the MD5 of what they stored as its entity tag,
 * unless they encrypt with a key of their own
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html).
 */
function confirm({ Key }: Place, { md5, sha256 }: Sums, stored: Stored): void {
  if (stored.ChecksumSHA256 === sha256) return
  const isOwnKey = stored.ServerSideEncryption?.startsWith('aws:kms') === true
  if (stored.ChecksumSHA256 === undefined && isOwnKey) return
  if (stored.ETag === `"${Buffer.from(md5, 'base64').toString('hex')}"`) return
  throw new Error(`'${Key}' was not stored as it was sent`)
}

const digest = (algorithm: 'md5' | 'sha256', content: Buffer): string =>
  createHash(algorithm).update(content).digest('base64')

/** A missing bucket is no missing object. */
function nullIfMissing(error: unknown): null {
  if (error instanceof S3ServiceException && MISSING.has(error.name)) return null
  throw error
}

const MISSING: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound'])

/** What of an answer is read, in bytes and in time. */
async function* bounded(body: Readable): AsyncGenerator<Buffer> {
  const began = performance.now()
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength
    if (bytes > MOST_ANSWER_BYTES) throw new Error(`The answer has more than ${MOST_ANSWER_BYTES} bytes`)
    if (performance.now() - began > MOST_ANSWER_MS) throw new Error('The answer arrives too slowly')
    yield chunk
  }
}
