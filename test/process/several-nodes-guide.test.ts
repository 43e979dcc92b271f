/** The commands of the guide to several nodes work when they are pasted, in their order, with another database and other ports. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type TestDatabase, testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { openTranscript } from './transcript.ts'
import { SMALL_SERVICE } from './tripfolio-process.ts'

const root = join(import.meta.dirname, '../..')

/** The commands below a heading. */
function commandsOf(heading: string): readonly string[] {
  const page = readFileSync(join(root, 'docs/how-to/several-nodes.md'), 'utf8')
  const [section] = page.slice(page.indexOf(`## ${heading}`) + 3).split('\n## ')
  return (section ?? '')
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .map((line) => line.trim())
}

describe('docs/how-to/several-nodes.md', () => {
  let folder: string
  let database: TestDatabase
  const ends: (() => Promise<unknown>)[] = []
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tripfolio-guide-'))
    database = await testDatabase()
  })
  after(async () => {
    await Promise.all(ends.map((end) => end()))
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  it('starts two nodes, on which a key that is rotated on one is dead on the other', async () => {
    const env: Record<string, string> = {
      PATH: `${join(root, 'bin')}:${process.env.PATH}`,
      ...SMALL_SERVICE,
    }
    const addresses = new Map<string, string>()
    const paste = async (line: string): Promise<string> => {
      const command = [...addresses].reduce((text, [port, address]) => text.replace(port, address), line)
      const { stdout } = await promisify(execFile)('bash', ['-euc', command], { cwd: folder, env })
      return stdout
    }
    /** What a shell would remember of the line. */
    const remember = async (line: string) => {
      const name = line.slice('export '.length, line.indexOf('='))
      env[name] = (await paste(`${line}; printf %s "$${name}"`)).trim()
    }
    const serve = async (line: string) => {
      const [, port = ''] = /--port (\d+)/.exec(line) ?? []
      const child = spawn('bash', ['-euc', `exec ${line.replace(port, '0')}`], { cwd: folder, env })
      const ended = new Promise((resolve) => child.once('exit', resolve))
      ends.push(() => {
        child.kill('SIGKILL')
        return ended
      })
      const { add, end, until } = openTranscript()
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', add)
      child.once('exit', (code) => end(`It ended with ${code}`))
      const [, address = ''] = await until(/serves http:\/\/(127\.0\.0\.1:\d+)/)
      addresses.set(`127.0.0.1:${port}`, address)
    }

    const printed: string[] = []
    for (const line of commandsOf('Two nodes, step by step')) {
      if (line.startsWith('export TRIPFOLIO_STORE=')) env.TRIPFOLIO_STORE = database.url
      else if (line.startsWith('export KEY=')) {
        const [, key] = /API key: (\S+)/.exec(printed.at(-1) ?? '') ?? []
        assert.ok(key, printed.at(-1))
        env.KEY = key
      } else if (line.startsWith('export ')) await remember(line)
      else if (line.startsWith('tripfolio serve ')) await serve(line)
      else printed.push(await paste(line))
    }
    assert.equal(addresses.size, 2)
    const [first, second, rotated, status] = printed.slice(-4) as [string, string, string, string]
    for (const page of [first, second]) assert.equal(JSON.parse(page).count, 1)
    assert.equal(status.trim(), '401')
    env.KEY = JSON.parse(rotated).apiKey
    const again = commandsOf('Two nodes, step by step').filter((line) => line.includes('8082'))
    assert.equal((await paste(again.at(-1) as string)).trim(), '200')
  })
})
