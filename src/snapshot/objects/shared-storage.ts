/**
 * Opens the storage that the setting `snapshots` names: `s3://bucket/prefix`, or the path of a folder. The packages of S3 are
 * loaded with the first request, so that a service without shared snapshots never loads them.
 */
import { openFolderStore } from './folder-store.ts'
import type { ObjectStore } from './object-store.ts'

export function openSharedStorage(location: string): ObjectStore {
  const found = /^s3:\/\/([^/]+)\/?(.*)$/.exec(location)
  if (found === null) return openFolderStore(location)
  const [, bucket = '', path = ''] = found
  const prefix = path === '' ? '' : `${path.replace(/\/+$/, '')}/`
  let opened: Promise<ObjectStore> | undefined
  const store = () =>
    (opened ??= import('./s3-store.ts').then(({ openS3Store }) => openS3Store({ bucket, prefix })))
  return {
    name: location,
    put: async (key, content) => (await store()).put(key, content),
    get: async (key, signal) => (await store()).get(key, signal),
    list: async function* (folder) {
      yield* (await store()).list(folder)
    },
    delete: async (keys) => (await store()).delete(keys),
    exists: async (key) => (await store()).exists(key),
    close: () => void opened?.then((each) => each.close()),
  }
}
