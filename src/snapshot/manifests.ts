/**
 * Decides which published snapshots can be used, and which should be current. A snapshot that is
 * damaged or has another format is reported once and skipped.
 */
import type { Observation, Observe } from '../observe/observation.ts'
import { candidates } from './intact-manifest.ts'
import { filesOf, type Manifest } from './manifest.ts'
import { type ManifestSource, manifestSourceOf } from './snapshot-source.ts'

export class Manifests {
  readonly source: ManifestSource
  readonly #observe: Observe
  readonly #reported = new Set<string>()

  /** @param source may be the path of a data folder */
  constructor(source: ManifestSource | string, observe: Observe) {
    this.source = manifestSourceOf(source)
    this.#observe = observe
  }

  /** The manifest to announce instead of the announced snapshot, or null when there is no better one. */
  async successorOf(announced: string | undefined): Promise<Manifest | null> {
    const wanted = await this.source.currentId()
    if (announced !== undefined && announced === wanted) return null
    for (const id of candidates(wanted, await this.published())) {
      if (id === announced) return null
      const manifest = await this.#usable(id, { isExpected: id === wanted })
      if (manifest !== null) return manifest
    }
    return null
  }

  /** The ids of all published snapshots, newest first. */
  published(): Promise<readonly string[]> {
    return this.source.ids()
  }

  /**
   * Null when the snapshot cannot be used. One that is not there is no damage: a control store remembers snapshots that were
   * removed since, or that lie where the records were before the store was moved.
   */
  intact(id: string): Promise<Manifest | null> {
    return this.#usable(id, { isExpected: false })
  }

  /** @param isExpected whether it is damage when the snapshot is not there */
  async #usable(id: string, { isExpected }: { readonly isExpected: boolean }): Promise<Manifest | null> {
    const { state, manifest, problem } = await this.source.examine(id)
    if (problem?.kind === 'gone' && !isExpected) return null
    // The source is asked every second, but one report is enough.
    if (problem !== null && !this.#reported.has(id)) {
      this.#reported.add(id)
      const reason = problem.message
      this.#observe(
        state === 'other-format'
          ? { kind: 'snapshot-skipped', snapshot: id, reason: `${reason}. ${problem.hint}` }
          : { kind: 'snapshot-damaged', snapshot: id, file: id, reason },
      )
    }
    return manifest
  }
}

/** The observations to report when a snapshot becomes current, whichever process published it. */
export function announcementOf({
  id,
  extractedAt,
  clients,
  warnings = [],
}: Manifest): readonly [Observation, ...Observation[]] {
  const bytes = clients.flatMap(filesOf).reduce((total, file) => total + file.bytes, 0)
  return [
    {
      kind: 'snapshot-announced',
      snapshot: id,
      clients: clients.length,
      bytes,
      extractedAt: new Date(extractedAt),
    },
    ...warnings.map(({ kind, message, clients = 0 }) => ({
      kind: 'snapshot-warned' as const,
      snapshot: id,
      warning: kind,
      message,
      clients,
    })),
  ]
}
