/** Reads the tables of a store as they were at one moment, row by row. */
import { openToRead } from './open-sqlite.ts'
import { storeProblem, whenFree } from './sqlite-file.ts'

type StoredTable = {
  readonly columns: readonly string[]
  /** In the order in which they were written. */
  readonly rows: () => Iterable<readonly unknown[]>
}

export type StoredTables = {
  readonly table: (name: string) => StoredTable
  readonly close: () => void
}

/** @throws Problem DIR1xx when the file cannot be read */
export async function openTables(path: string): Promise<StoredTables> {
  const source = await whenFree(path, () => openToRead(path))
  const reading = <T>(read: () => T): T => {
    try {
      return read()
    } catch (error) {
      throw storeProblem(path, error)
    }
  }
  // What is read from here on is the state of this moment.
  source.exec('begin')
  return {
    table: (name) => {
      const all = reading(() => source.prepare(`select * from "${name}" order by rowid`))
      return {
        columns: all.columns().map((column) => column.name),
        *rows() {
          const rows = all.iterate()
          for (let next = reading(() => rows.next()); !next.done; next = reading(() => rows.next()))
            yield Object.values(next.value)
        },
      }
    },
    close: () => source.close(),
  }
}
