/**
 * Finds out why a folder cannot be written, by writing a file and removing it again: libraries report a full disk only as
 * a failure without a reason.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type StorageFault, storageFault } from './storage-fault.ts'

/** More than a full file system may still have room for. */
const PROBE_BYTES = 65_536

/** Undefined when writing works, or fails for a reason that is not in the table of storage faults. */
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

/** The system may accept a part and refuse the rest. */
function writeWhole(descriptor: number): void {
  const bytes = new Uint8Array(PROBE_BYTES)
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
}
