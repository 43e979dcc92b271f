/** What a refresh counts and times while it runs, so that its record is as complete as it got, however it ends. */
import type { RefreshStageName } from '../../schema/refresh-shapes.ts'
import type { RefreshWarning } from '../../snapshot/manifest.ts'
import type { RejectCauses } from '../reject-causes.ts'
import type { FoundTable } from '../sources/find-extract.ts'
import type { TableCounts } from '../validate.ts'
import type { RefreshReport } from './refresh-report.ts'

export class RefreshTally {
  /** Null when a source, such as a view of a mapping, has no size. */
  bytesExpected: number | null = null
  bytesRead = 0
  rowsRead = 0
  snapshotBytes: number | null = null
  clients: { readonly total: number; readonly unchanged: number } | null = null
  #stages: { readonly stage: RefreshStageName; milliseconds: number }[] = []

  /** Times a stage from outside. */
  async timed<T>(stage: RefreshStageName, work: () => Promise<T>): Promise<T> {
    const started = performance.now()
    try {
      return await work()
    } finally {
      this.#stages.push({ stage, milliseconds: Math.round(performance.now() - started) })
    }
  }

  /** Of a refresh that has passed all stages. */
  get milliseconds(): Readonly<Record<RefreshStageName, number>> {
    return Object.fromEntries(this.#stages.map(({ stage, milliseconds }) => [stage, milliseconds])) as Record<
      RefreshStageName,
      number
    >
  }

  expect(tables: readonly FoundTable[]): void {
    const sizes = tables.flatMap(({ sources }) => sources.map(({ found }) => found?.bytes ?? null))
    this.bytesExpected = sizes.some((size) => size === null)
      ? null
      : sizes.reduce<number>((sum, size) => sum + (size as number), 0)
  }

  report(
    tables: readonly TableCounts[],
    causes: RejectCauses,
    warnings: readonly RefreshWarning[],
  ): RefreshReport {
    const { clients } = this
    return {
      stages: this.#stages,
      sourceBytes: this.bytesExpected === null ? null : this.bytesRead,
      snapshotBytes: this.snapshotBytes,
      rows: this.rowsRead,
      rejects: tables.reduce((sum, { rejects, withParent }) => sum + rejects + withParent, 0),
      clients: clients && { ...clients, changed: clients.total - clients.unchanged },
      tables: [...tables],
      rejectsByRule: [...causes.groups()],
      warnings: [...warnings],
    }
  }
}
