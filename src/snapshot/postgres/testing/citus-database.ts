/**
 * For tests: an empty database of its own on the Citus cluster that TRIPFOLIO_TEST_CITUS names, with the cluster's workers.
 * Tests that share a database would drop each other's tables.
 */
import { randomBytes } from 'node:crypto'
import { ask, type TestDatabase } from '../../../postgres/testing/postgres-server.ts'

export const citusUrl: string | undefined = process.env.TRIPFOLIO_TEST_CITUS || undefined

type Node = { readonly nodename: string; readonly nodeport: number; readonly is_coordinator: boolean }

export async function citusDatabase(url: string): Promise<TestDatabase> {
  const nodes = await ask<Node>(
    url,
    'select nodename, nodeport, groupid = 0 as is_coordinator from pg_dist_node order by groupid',
  )
  const name = `test_${randomBytes(8).toString('hex')}`
  const on = ({ nodename, nodeport }: Node, database?: string): string => {
    const address = new URL(url)
    address.hostname = nodename
    address.port = `${nodeport}`
    if (database !== undefined) address.pathname = `/${database}`
    return address.href
  }
  for (const node of nodes) {
    await ask(on(node), `create database ${name}`)
    await ask(on(node, name), 'create extension citus')
  }
  const [coordinator, ...workers] = nodes
  if (!coordinator?.is_coordinator) throw new Error('The cluster has no coordinator')
  const own = on(coordinator, name)
  await ask(own, 'select citus_set_coordinator_host($1, $2)', [coordinator.nodename, coordinator.nodeport])
  for (const { nodename, nodeport } of workers) {
    await ask(own, 'select citus_add_node($1, $2)', [nodename, nodeport])
  }
  await ask(own, `alter database ${name} set citus.shard_count = 4`)
  return {
    url: own,
    drop: async () => {
      for (const node of nodes) await ask(on(node), `drop database if exists ${name} with (force)`)
    },
  }
}
