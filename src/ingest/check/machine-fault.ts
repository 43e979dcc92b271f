import { tmpdir } from 'node:os'
import { temporaryFolderRefused } from '../../kernel/files/problems.ts'
import { storageProblem } from '../storage-problem.ts'
import type { WorkDatabase } from '../work-database.ts'

/**
 * What is wrong with the machine must not be told as a fault of a table.
 *
 * @throws Problem DIR850 or DIR852 when the temporary folder, or the limit of open files, is the cause
 */
export function refuseMachineFault(cause: unknown, { folder }: Pick<WorkDatabase, 'folder'>): void {
  const problem = storageProblem(cause, folder, (_, fault, error) =>
    temporaryFolderRefused(tmpdir(), fault, error),
  )
  if (problem !== undefined) throw problem
}
