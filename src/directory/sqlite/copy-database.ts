/**
 * Copies the file of a store while others write to it: the copy holds what was committed at one moment. It is compact, so
 * nothing that was deleted is in it, and needs no companion files.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { notAStore } from '../problems.ts'
import { connect, whenFree } from './sqlite-file.ts'

const OWNER_ONLY = 0o600

/** @param target must not exist */
export async function copyDatabase(path: string, target: string): Promise<void> {
  // SQLite writes into an empty file, so it never has other rights.
  closeSync(openSync(target, 'wx', OWNER_ONLY))
  const source = await connect(path, { durability: 'normal', lockTimeoutMs: 0 })
  try {
    // https://sqlite.org/lang_vacuum.html#vacuum_with_an_into_clause
    await whenFree(path, () => source.exec(`vacuum into '${target.replaceAll("'", "''")}'`))
  } finally {
    source.close()
  }
  checkCopy(path, target)
  const descriptor = openSync(target, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function checkCopy(path: string, target: string): void {
  const copy = new DatabaseSync(`${pathToFileURL(target).href}?immutable=1`, { readOnly: true })
  try {
    const found = copy.prepare('pragma integrity_check(1)').get()?.integrity_check
    if (found !== 'ok') throw notAStore(path, new Error(String(found)))
  } finally {
    copy.close()
  }
}
