/** `tripfolio ingest` as an operator or a scheduler runs it. */
import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { callCli } from '../../src/cli/testing/call-cli.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, publishedRecords } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { runTripfolio } from './tripfolio-process.ts'

describe('tripfolio ingest', () => {
  it('publishes, says what it read, and exits with 0', async (t) => {
    const { source, data } = await makeFolders(t)
    await writeExtract(source, fixtureExtract, 'csv')
    const { code, stdout, stderr } = await runTripfolio(['ingest', '--source', source, '--data', data])
    assert.equal(code, 0)
    assert.equal(stderr, '')
    assert.match(stdout, /^segments +12 +0 +0$/m)
    assert.match(
      stdout,
      /^2 invoices name a booking that is not in the snapshot; their recordLocator is null\.$/m,
    )
    assert.match(stdout, /^Published snapshot \S+, extracted \S+\.$/m)
    assert.match(stdout, /^3 clients, 0 of them unchanged\. Took read/m)
    assert.equal((await publishedRecords(data, harbour, 'bookings')).length, 8)
  })

  it('prints a summary for programs on request', async (t) => {
    const { source, data } = await makeFolders(t)
    await writeExtract(source, fixtureExtract, 'ndjson')
    const { code, stdout } = await runCommand(['ingest', '--source', source, '--data', data, '--json'])
    assert.equal(code, 0)
    const summary = JSON.parse(stdout)
    assert.partialDeepStrictEqual(summary, {
      rejects: 0,
      clients: { total: 3, unchanged: 0 },
      invoicesWithoutBooking: 2,
      notes: [],
    })
    assert.deepEqual(Object.keys(summary.milliseconds), ['read', 'validate', 'build', 'publish'])

    const path = join(source, 'bookings.ndjson')
    const offset = (await readFile(path, 'utf8')).replaceAll(/("modified_at":"[^"]*)"/g, '$1:00+10:00"')
    await writeFile(path, offset)
    const ingest = ['ingest', '--source', source, '--data', data, '--json']
    assert.equal(JSON.parse((await runCommand(ingest)).stdout).clients.unchanged, 3)
    const refusing = await runCommand([...ingest, '--offset-times', 'refuse'])
    assert.equal(refusing.code, 1)
    assert.match(refusing.stderr, /Table 'bookings' has 12 rejected of 12 rows/)
  })

  it('says why it refused an extract on standard error, and exits with 1', async (t) => {
    const { source, data } = await makeFolders(t)
    await writeExtract(source, fixtureExtract, 'csv')
    await rm(join(source, 'bookings.csv'))
    const { code, stdout, stderr } = await runCommand(['ingest', '--source', source, '--data', data])
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, /Table 'bookings' is missing/)
  })

  it('says on standard error what it is at, every 10 s', async (t) => {
    const { source, data } = await makeFolders(t)
    await writeExtract(source, fixtureExtract, 'csv')
    let seconds = 0
    // Ten seconds of this clock pass in a turn of the event loop, of which a refresh has hundreds.
    const clock = {
      now: () => 1000 * seconds,
      every(milliseconds: number, work: () => void) {
        const timer = setInterval(() => {
          seconds += milliseconds / 1000
          work()
        }, 0)
        return () => clearInterval(timer)
      },
    }
    const { code, stderr } = await callCli(['ingest', '--source', source, '--data', data], { clock })
    assert.equal(code, 0)
    assert.match(stderr, /^tripfolio: read: \w+, table \d of 9, \d+0 s so far$/m)
  })

  it('shows the causes of a refusal below it, and where all rejects are listed', async (t) => {
    const { source, data } = await makeFolders(t)
    await writeExtract(source, fixtureExtract, 'csv')
    await writeFile(join(source, 'clients.csv'), 'client_number,name\nC100,Harbour\nC200,\nC300,\n')
    const relativeData = relative(process.cwd(), data)
    const { code, stderr } = await runCommand(['ingest', '--source', source, '--data', relativeData])
    assert.equal(code, 1)
    assert.deepEqual(stderr.split('\n').slice(0, 2), [
      "tripfolio: Table 'clients' has 2 rejected of 3 rows, more than the allowed share of 0.05",
      "             2 x required in name: expected a value, found nothing: 'C200' (clients.csv, row 2)",
    ])
    assert.match(stderr, /^ {11}All rejects are listed in \/.*\/last-refusal\/rejects\.ndjson\./m)
    assert.equal(stderr.match(/rejects\.ndjson/g)?.length, 1)
  })

  it('asks for a source when it is given none', async (t) => {
    const { data } = await makeFolders(t)
    const { code, stderr } = await runCommand(['ingest', '--data', data])
    assert.equal(code, 2)
    assert.match(stderr, /Expected a source to refresh from, found none/)
  })
})
