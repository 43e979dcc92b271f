/**
 * Why nothing can be written in a folder, found out by trying: libraries say no more of a full disk than that it did not
 * work. The file it writes is gone afterwards.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type StorageFault, storageFault } from './storage-fault.ts'

/** More than a file system keeps for the last file. */
const PROBE_BYTES = 65_536

/** Undefined when writing works, or fails for another reason. */
export function probeFolder(folder: string): StorageFault | undefined {
  const path = join(folder, `.probe-${process.pid}-${crypto.randomUUID()}`)
  try {
    const descriptor = openSync(path, 'wx', 0o600)
    try {
      writeWhole(descriptor)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    return undefined
  } catch (error) {
    return storageFault(error)
  } finally {
    rmSync(path, { force: true })
  }
}

/** The system may take a part, and refuse the rest. */
function writeWhole(descriptor: number): void {
  const bytes = new Uint8Array(PROBE_BYTES)
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
}
