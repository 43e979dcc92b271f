import { closeSync, fsyncSync, openSync } from 'node:fs'

/**
 * Makes the names of the folder's files durable: without it a file may be gone after a power failure although its content was
 * synced. Windows opens no folders.
 */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
