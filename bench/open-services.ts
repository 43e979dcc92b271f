/** Opens what answers questions for records in the process of the bench, over the snapshot in a data folder. */
import { loadConfig } from '../src/config/load-config.ts'
import { openReadServices, type ReadServices } from '../src/service/read-services.ts'
import { SharedFiles } from '../src/snapshot/files/shared-files.ts'
import { Manifests } from '../src/snapshot/manifests.ts'
import { dataFolderSource } from '../src/snapshot/snapshot-source.ts'

export async function openServices(folder: string): Promise<ReadServices> {
  const ignore = () => undefined
  const config = loadConfig({ env: {}, flags: { data: folder } })
  const manifests = dataFolderSource(folder)
  const openFiles = new SharedFiles(folder, ignore).open
  const services = await openReadServices({
    config,
    observe: ignore,
    openFiles,
    manifests,
    installation: async () => '',
  })
  const manifest = await new Manifests(manifests, ignore).successorOf(undefined)
  if (manifest === null) throw new Error('The data set has no snapshot')
  await services.announce(manifest)
  return services
}
