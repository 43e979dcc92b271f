import { closeSync, fsyncSync, openSync } from 'node:fs'

/**
 * Makes the names of the files in a folder durable: without it a file may be lost in a power failure although its content was
 * synced. Does nothing on Windows, which cannot open folders.
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
