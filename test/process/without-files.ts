/**
 * Opens files until there is no room for another, and then loads a file of a snapshot and, with room for one, opens the control
 * store: prints what was observed.
 */
import { closeSync, openSync } from 'node:fs'
import { openControlStore } from '../../src/directory/open-stores.ts'
import type { Problem } from '../../src/kernel/problem.ts'
import type { Observation } from '../../src/observe/observation.ts'
import { SharedFiles } from '../../src/snapshot/files/shared-files.ts'
import { SnapshotCatalogue } from '../../src/snapshot/snapshot-catalogue.ts'

const [data = '', clientNumber = ''] = process.argv.slice(2)
const observations: Observation[] = []
const observe = (observation: Observation) => observations.push(observation)
const catalogue = new SnapshotCatalogue(data, observe, new SharedFiles(data, observe).open)
await catalogue.refresh()
const snapshot = catalogue.current()
const opened: number[] = []
try {
  for (;;) opened.push(openSync('/dev/null', 'r'))
} catch {
  // The limit of open files is reached.
}
const messageOf = ({ code, message }: Problem) => `${code} ${message}`
const refused = await snapshot?.partition(clientNumber, 'bookings').catch(messageOf)
closeSync(opened.pop() as number)
const store = await openControlStore(data).then(() => 'opened', messageOf)
for (const file of opened) closeSync(file)
const loaded = await snapshot?.partition(clientNumber, 'bookings')
const kinds = observations.map(({ kind }) => kind).filter((kind) => kind !== 'partitions-held')
process.stdout.write(
  JSON.stringify({ refused, store, kinds, snapshotId: loaded?.snapshotId === snapshot?.id }),
)
