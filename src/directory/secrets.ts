/** Secrets of scripts: sealed in the store by AES-256-GCM, listed without their values, opened only for a run. */
import type { SecretDraft, SecretSummary } from '../schema/directory-shapes.ts'

export type Secrets = {
  /** By name. */
  readonly list: () => Promise<readonly SecretSummary[]>
  /** Creates or changes; a new one needs a value. */
  readonly set: (name: string, draft: SecretDraft, by: string) => Promise<SecretSummary>
  /** False when there is none. */
  readonly remove: (name: string, by: string) => Promise<boolean>
  /** The value; null when it is unknown, inactive or expired. Names fold. */
  readonly read: (name: string) => Promise<string | null>
}
