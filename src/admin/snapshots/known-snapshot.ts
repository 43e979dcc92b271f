import type { AdminDeps } from '../admin-deps.ts'
import { notFound } from '../problems.ts'

/** @throws Problem ADM120 */
export async function knownSnapshot(
  id: string,
  { manifests }: Pick<AdminDeps, 'manifests'>,
): Promise<string> {
  if ((await manifests.published()).includes(id)) return id
  throw notFound('snapshot', id)
}
