/** A server of S3 for nodes that share snapshots, in a process of its own; its objects are gone when it ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addressOf, startScript } from './child.ts'

export type S3 = {
  /** The settings of a node and the variables of the AWS SDK. */
  readonly environment: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

export async function startS3(): Promise<S3> {
  const folder = mkdtempSync(join(tmpdir(), 'tripfolio-bench-s3-'))
  const child = startScript(new URL('s3-server.ts', import.meta.url), [folder], null)
  return {
    environment: {
      TRIPFOLIO_SNAPSHOTS: 's3://bench/snapshots',
      AWS_ENDPOINT_URL_S3: await addressOf(child),
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    },
    stop: async () => {
      await child.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
