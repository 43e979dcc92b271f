/** Fastify + PostgreSQL as a process: reads `{database, accounts}` as JSON from stdin, prints its address. */
import { json } from 'node:stream/consumers'
import type { PoolConfig } from 'pg'
import { type Accounts, peerApp } from './app.ts'
import { postgresStore } from './postgres-store.ts'

const { database, accounts } = (await json(process.stdin)) as { database: PoolConfig; accounts: Accounts }
const app = peerApp(postgresStore(database), accounts)
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
process.on('SIGTERM', () => process.exit(0))
