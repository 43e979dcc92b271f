/** The supervisor of the threads that run scripts, with threads that get stuck, crash and run out of memory on demand. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { RunProblem } from '../../src/automation/problems.ts'
import { RunReads } from '../../src/automation/runs/run-reads.ts'
import type { RunJob } from '../../src/automation/runs/run-states.ts'
import { anonymous } from '../../src/kernel/user.ts'
import type { Observation } from '../../src/observe/observation.ts'
import { SharedFiles } from '../../src/snapshot/files/shared-files.ts'
import { openScriptPool, type ScriptPool } from '../../src/threads/script-pool.ts'

const script = new URL('test-script-worker.ts', import.meta.url)
const observations: Observation[] = []
let folder: string

function start(count: number): ScriptPool {
  const observe = (observation: Observation) => void observations.push(observation)
  const files = new SharedFiles(folder, observe)
  return openScriptPool({
    count,
    script,
    data: { lruClock: files.lruClock.memory },
    files,
    currentManifest: async () => null,
    writeLog: () => undefined,
    functions: { runsLogged: () => undefined, runsSettled: () => undefined },
    observe,
    stuckMs: 2000,
    mostHeapMegabytes: 64,
  })
}

const job = (path: string): RunJob => ({
  executionId: crypto.randomUUID(),
  type: 'DynamicEndpoint',
  endpoint: { id: crypto.randomUUID(), name: path, category: 'Utility', limits: {}, allowedHosts: [] },
  source: { version: 1 },
  request: {
    method: 'GET',
    path,
    queryString: '',
    query: {},
    headers: {},
    params: {},
    rawBody: null,
    bodyKind: 'text',
    user: anonymous,
  },
  requestId: null,
  rerunOf: null,
  signatureHeaders: [],
  arrivedAt: Date.now(),
})

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-scripts-'))
})
after(() => rm(folder, { recursive: true, force: true }))

describe('a thread that runs scripts', () => {
  let threads: ScriptPool
  before(() => {
    threads = start(1)
  })
  after(() => threads.close())

  const ends: readonly (readonly [path: string, reason: RegExp])[] = [
    ['stuck', /no sign of life/],
    ['crash', /a defect of the thread/],
    ['exit', /code 3/],
    ['memory', /memory/i],
  ]
  for (const [path, reason] of ends) {
    it(`is replaced when it is lost (${path}), and its runs fail with the reason`, async () => {
      const beside = threads.run(job('forever'))
      beside.catch(() => undefined)
      const lost = job(path)
      for (const [run, id] of [
        [threads.run(lost), lost.executionId],
        [beside, undefined],
      ] as const) {
        await assert.rejects(run, (problem) => {
          assert.ok(problem instanceof RunProblem)
          assert.equal(problem.code, 'END103')
          assert.match(problem.message, reason)
          if (id !== undefined) assert.equal(problem.executionId, id)
          return true
        })
      }
      const { response } = await threads.run(job('works'))
      assert.equal(response.body, 'thread 0')
      const ended = observations.filter(({ kind }) => kind === 'thread-ended')
      assert.deepEqual(ended.map((o) => (o.kind === 'thread-ended' ? [o.group, o.thread] : null)).at(-1), [
        'script',
        0,
      ])
    })
  }

  for (const [path] of ends) {
    it(`has told what its runs had read when it is lost (${path})`, async () => {
      const reads = new RunReads()
      await assert.rejects(threads.run({ ...job(path), type: 'Test' }, undefined, reads))
      assert.deepEqual(reads.read.clientNumbers, [path])
    })
  }

  it('continues after a run that could not be started', async () => {
    const seen = observations.length
    await assert.rejects(threads.run(job('fails')), /the run cannot be made/)
    assert.equal((await threads.run(job('works'))).response.body, 'thread 0')
    assert.equal(observations.length, seen)
  })
})

describe('several threads that run scripts', () => {
  it('start with the first run, or when they are told to', async () => {
    const threads = start(2)
    // The first are the metrics of ended threads.
    const runningThreads = async () => (await threads.metricValues()).length - 1
    assert.equal(await runningThreads(), 0)
    await threads.run(job('works'))
    assert.equal(await runningThreads(), 2)
    threads.start()
    assert.equal(await runningThreads(), 2)
    await threads.close()
    const others = start(1)
    others.start()
    assert.equal((await others.metricValues()).length - 1, 1)
    await others.close()
  })

  it('do not start for a run that comes after the end', async () => {
    const threads = start(1)
    await threads.close()
    await assert.rejects(threads.run(job('works')), /the service was stopped/)
    assert.equal((await threads.metricValues()).length - 1, 0)
  })

  it('are given work by how little they have, so that one that is stuck delays no other run', async () => {
    const threads = start(2)
    const works = async () => (await threads.run(job('works'))).response.body
    try {
      // Until both have started.
      while (!(await Promise.all([works(), works()])).includes('thread 1')) {}
      const blocked = threads.run(job('blocked'))
      blocked.catch(() => undefined)
      for (let i = 0; i < 4; i++) assert.equal(await works(), 'thread 1')
      await assert.rejects(blocked, /no sign of life/)
    } finally {
      await threads.close()
    }
  })

  it('tell when a run leaves its place, and let it go on when it has one again', async () => {
    const threads = start(1)
    const moves: string[] = []
    const asked = Promise.withResolvers<void>()
    const admitted = Promise.withResolvers<void>()
    const waiting = threads.run(job('waits'), {
      leave: () => void moves.push('leave'),
      retake: () => {
        moves.push('retake')
        asked.resolve()
        return admitted.promise
      },
    })
    try {
      await asked.promise
      assert.equal((await threads.run(job('works'))).response.body, 'thread 0')
      admitted.resolve()
      assert.equal((await waiting).response.body, 'thread 0 after a wait')
      assert.deepEqual(moves, ['leave', 'retake'])
    } finally {
      await threads.close()
    }
  })

  it('end what they run when they are closed', async () => {
    const threads = start(2)
    await threads.run(job('works'))
    const running = threads.run(job('forever'))
    running.catch(() => undefined)
    await threads.close()
    await assert.rejects(running, /the service was stopped/)
  })
})
