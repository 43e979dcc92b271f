/** Fastify + node:sqlite as a process: reads `{file, accounts}` as JSON from stdin, prints its address. */
import { json } from 'node:stream/consumers'
import { type Accounts, peerApp } from './app.ts'
import { sqliteStore } from './sqlite-store.ts'

const { file, accounts } = (await json(process.stdin)) as { file: string; accounts: Accounts }
const app = peerApp(sqliteStore(file), accounts)
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
process.on('SIGTERM', () => process.exit(0))
