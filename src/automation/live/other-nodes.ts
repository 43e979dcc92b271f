/**
 * Asks the services that use a store about their live runs, and answers for this one. Questions go through the history, so that a
 * command needs neither an address nor a token, and a node needs to know no other one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { History } from '../../directory/history/history.ts'
import type { LiveRun } from '../../schema/execution-shapes.ts'
import type { CancelReason } from '../problems.ts'
import type { CancelTarget, LiveControl } from './live-control.ts'

type Question =
  | { readonly kind: 'list' }
  | { readonly kind: 'cancel'; readonly target: CancelTarget; readonly reason: CancelReason }

/** What one service answers: runs, or the ids of the runs that it cancelled. */
type Answer = { readonly runs: readonly LiveRun[]; readonly cancelled: readonly string[] }

export type AnswersOfNodes = Answer & {
  readonly nodes: readonly string[]
  /** Those that did not answer in time. */
  readonly silent: readonly string[]
}

type Questions = History['live']

const LOOK_EVERY_MS = 500
const SHOW_EVERY_MS = 60_000
/** A service that has not shown itself for so long is gone. */
const GONE_AFTER_MS = 150_000
const POLL_MS = 50
const PATIENCE_MS = 2000

type Asking = {
  /** This service, which does not ask itself. */
  readonly except?: string
  readonly patienceMs?: number
}

/** Asks all services that use the store, and waits until each has answered or has taken too long. */
export async function askNodes(
  questions: Questions,
  question: Question,
  { except, patienceMs = PATIENCE_MS }: Asking = {},
): Promise<AnswersOfNodes> {
  const nodes = (await questions.nodesSince(Date.now() - GONE_AFTER_MS)).filter((node) => node !== except)
  if (nodes.length === 0) return { nodes, runs: [], cancelled: [], silent: [] }
  const id = crypto.randomUUID()
  await questions.ask({ id, question: JSON.stringify(question) }, Date.now())
  try {
    const deadline = performance.now() + patienceMs
    for (;;) {
      const given = (await questions.answers(id)).filter(({ node }) => nodes.includes(node))
      if (given.length === nodes.length || performance.now() > deadline) {
        const answers = given.map(({ answer }) => JSON.parse(answer) as Answer)
        return {
          nodes,
          runs: answers.flatMap(({ runs }) => runs),
          cancelled: answers.flatMap(({ cancelled }) => cancelled),
          silent: nodes.filter((node) => !given.some((each) => each.node === node)),
        }
      }
      await sleep(POLL_MS)
    }
  } finally {
    await questions.withdraw(id)
  }
}

/** The runs of all nodes, as this node sees them. What it streams stays its own. */
export function withOtherNodes(own: LiveControl, questions: Questions, node: string): LiveControl {
  return {
    ...own,
    list: async () => {
      const [here, others] = await Promise.all([
        own.list(),
        askNodes(questions, { kind: 'list' }, { except: node }),
      ])
      const byArrival = (a: LiveRun, b: LiveRun) => Date.parse(a.arrivedAt) - Date.parse(b.arrivedAt)
      return { runs: [...here.runs, ...others.runs].sort(byArrival), silent: others.silent }
    },
    cancel: async (target, reason) => {
      const here = await own.cancel(target, reason)
      // A caller is connected to this node, and a run is on one node only.
      if (reason.kind !== 'operator' || ('id' in target && here.length > 0)) return here
      const others = await askNodes(questions, { kind: 'cancel', target, reason }, { except: node })
      return [...here, ...others.cancelled]
    },
  }
}

/** @returns a function that ends this; it resolves when no question is being answered */
export function answerQuestions(own: LiveControl, questions: Questions, node: string): () => Promise<void> {
  const closing = new AbortController()
  let shownAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    const now = performance.now()
    if (now - shownAt > SHOW_EVERY_MS) {
      await questions.present(node, Date.now(), Date.now() - GONE_AFTER_MS)
      shownAt = now
    }
    for (const { id, question } of await questions.unanswered(node)) {
      const answer = await answerTo(JSON.parse(question) as Question, own)
      await questions.answer(id, { node, answer: JSON.stringify(answer) })
    }
  }

  async function keepLooking(): Promise<void> {
    while (!closing.signal.aborted) {
      // Who opened the store reports that it is away.
      await look().catch(() => undefined)
      await sleep(LOOK_EVERY_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
    }
    await questions.leave(node).catch(() => undefined)
  }

  const looking = keepLooking()
  return () => {
    closing.abort()
    return looking
  }
}

async function answerTo(question: Question, own: LiveControl): Promise<Answer> {
  if (question.kind === 'list') return { runs: (await own.list()).runs, cancelled: [] }
  return { runs: [], cancelled: await own.cancel(question.target, question.reason) }
}
