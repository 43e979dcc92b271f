import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { RunProblem } from '../automation/problems.ts'
import type { RecordedRun, RunJob } from '../automation/runs/run-states.ts'
import { Problem } from '../kernel/problem.ts'
import type { RunPlace } from '../script/script.ts'
import { type JobChannel, openJobChannel, serveJobChannel } from './job-channel.ts'

const job = (name: string, milliseconds = 1000): RunJob =>
  ({ executionId: `run-${name}`, endpoint: { name, limits: { milliseconds } } }) as unknown as RunJob

const report = (body: string): RecordedRun => ({
  status: 'Success',
  response: { status: 200, headers: {}, body },
  execution: null,
  dryRunWrites: [],
})

/** Both ends run in one thread, which makes no difference to them. */
function open(t: TestContext, run: (job: RunJob, place: RunPlace) => Promise<RecordedRun>, margin?: number) {
  const { port1, port2 } = new MessageChannel()
  const messages: unknown[] = []
  port2.on('message', (message) => messages.push(message))
  const channel: JobChannel = openJobChannel(port1, margin)
  serveJobChannel(port2, run)
  // The channel does not keep the process alive, so the test has to.
  const alive = setInterval(() => undefined, 1000)
  t.after(() => {
    channel.close(new Error('the test is over'))
    port2.close()
    clearInterval(alive)
  })
  return { channel, messages }
}

describe('a job channel', () => {
  it('resolves every job with its own report, and sends the reports of one turn in one message', async (t) => {
    const { channel, messages } = open(t, async ({ endpoint }) => report(endpoint.name))
    const names = Array.from({ length: 50 }, (_, i) => String(i))
    const reports = await Promise.all(names.map((name) => channel.run(job(name))))
    assert.deepEqual(
      reports.map(({ response }) => response.body),
      names,
    )
    assert.equal(messages.length, 1)
  })

  it('tells when a run leaves its place, and lets it go on when it has one again', async (t) => {
    const { channel } = open(t, async ({ endpoint }, place) => {
      place.leave()
      await place.retake()
      return report(endpoint.name)
    })
    const moves: string[] = []
    const admitted = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const place: RunPlace = {
      leave: () => void moves.push('leave'),
      retake: () => {
        moves.push('retake')
        asked.resolve()
        return admitted.promise
      },
    }
    const run = channel.run(job('slow'), place).then(({ response }) => {
      moves.push(response.body ?? '')
    })
    await asked.promise
    assert.deepEqual(moves, ['leave', 'retake'])
    admitted.resolve()
    await run
    assert.deepEqual(moves, ['leave', 'retake', 'slow'])
    assert.equal((await channel.run(job('without a queue'))).response.body, 'without a queue')
  })

  it('rejects with the problem that a run threw, and reports other errors as END103', async (t) => {
    const { channel } = open(t, async ({ endpoint }) => {
      throw endpoint.name === 'known' ? new Problem('END110', 'It was deleted') : new TypeError('a defect')
    })
    const refusals: readonly (readonly [name: string, code: string, message: RegExp])[] = [
      ['known', 'END110', /^It was deleted$/],
      ['defect', 'END103', /a defect/],
    ]
    for (const [name, code, message] of refusals) {
      await assert.rejects(channel.run(job(name)), (problem) => {
        assert.ok(problem instanceof RunProblem)
        assert.deepEqual([problem.code, problem.executionId], [code, `run-${name}`])
        assert.match(problem.message, message)
        return true
      })
    }
  })

  it('rejects a job with END103 when no answer comes long after its time limit', async (t) => {
    const { channel } = open(t, () => new Promise(() => undefined), 10)
    await assert.rejects(
      channel.run(job('silent', 1)),
      (problem) => problem instanceof RunProblem && problem.code === 'END103',
    )
  })

  it('rejects waiting and later jobs with the reason why it was closed', async (t) => {
    const { channel } = open(t, () => new Promise(() => undefined))
    const waiting = channel.run(job('waiting'))
    channel.close(new Error('the thread has ended'))
    await assert.rejects(waiting, /the thread has ended/)
    await assert.rejects(channel.run(job('late')), /the thread has ended/)
  })
})
