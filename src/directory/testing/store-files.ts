/**
 * Files of new stores, made once for each process and copied from then on: to make one costs five times as much as a copy. On
 * PostgreSQL, `stores.ts` copies a database instead.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { controlStorePath, historyPath, openControlStore, openHistory } from '../open-stores.ts'
import { isOnFiles } from './stores.ts'

type OpenStore = (folder: string) => Promise<{ readonly close: () => Promise<void> }>

/** Puts a new control store into the folder, unless it has one. */
export const placeControlStore = (folder: string): Promise<void> =>
  place(controlStorePath(folder), openControlStore)

/** Puts a new history into the folder, unless it has one. */
export const placeHistory = (folder: string): Promise<void> => place(historyPath(folder), openHistory)

async function place(path: string, open: OpenStore): Promise<void> {
  if (!isOnFiles() || existsSync(path)) return
  const made = await madeOnce(open)
  mkdirSync(join(path, '..'), { recursive: true })
  copyFileSync(join(made, basename(path)), path)
}

const making = new Map<OpenStore, Promise<string>>()

function madeOnce(open: OpenStore): Promise<string> {
  const known = making.get(open) ?? make(open)
  making.set(open, known)
  return known
}

async function make(open: OpenStore): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tripfolio-store-files-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const store = await open(folder)
  await store.close()
  return folder
}
