/**
 * Questions about live runs, from commands and from other nodes to every service that uses this store: each service answers once.
 * Rows last for seconds: the one that asks removes its question with the answers, and services remove what was left behind.
 */
import type { Kysely } from 'kysely'
import type { HistoryTables } from './history-tables.ts'

type LiveQuestion = { readonly id: string; readonly question: string }
type LiveAnswer = { readonly node: string; readonly answer: string }

/** Questions and answers are JSON. Moments are milliseconds since 1970. */
export type LiveQuestions = {
  readonly ask: (question: LiveQuestion, now: number) => Promise<void>
  readonly answers: (id: string) => Promise<readonly LiveAnswer[]>
  /** Removes the question and its answers. */
  readonly withdraw: (id: string) => Promise<void>
  /** The services that have shown themselves since. */
  readonly nodesSince: (moment: number) => Promise<readonly string[]>
  /** Shows that the service is alive, and removes what is older than `oldest`. */
  readonly present: (node: string, now: number, oldest: number) => Promise<void>
  readonly leave: (node: string) => Promise<void>
  /** The questions that this service has not answered. */
  readonly unanswered: (node: string) => Promise<readonly LiveQuestion[]>
  readonly answer: (id: string, given: LiveAnswer) => Promise<void>
}

export const createLiveQuestions = (db: Kysely<HistoryTables>): LiveQuestions => ({
  ask: async ({ id, question }, now) => {
    await db.insertInto('live_questions').values({ id, question, asked_at: now }).execute()
  },
  answers: (id) =>
    db.selectFrom('live_answers').select(['node', 'answer']).where('question_id', '=', id).execute(),
  withdraw: async (id) => {
    await db.deleteFrom('live_questions').where('id', '=', id).execute()
    await db.deleteFrom('live_answers').where('question_id', '=', id).execute()
  },
  nodesSince: async (moment) => {
    const rows = await db.selectFrom('live_nodes').select('node').where('seen_at', '>=', moment).execute()
    return rows.map(({ node }) => node)
  },
  present: async (node, now, oldest) => {
    await db
      .insertInto('live_nodes')
      .values({ node, seen_at: now })
      .onConflict((conflict) => conflict.column('node').doUpdateSet({ seen_at: now }))
      .execute()
    await db.deleteFrom('live_nodes').where('seen_at', '<', oldest).execute()
    await db.deleteFrom('live_questions').where('asked_at', '<', oldest).execute()
    await db
      .deleteFrom('live_answers')
      .where('question_id', 'not in', db.selectFrom('live_questions').select('id'))
      .execute()
  },
  leave: async (node) => {
    await db.deleteFrom('live_nodes').where('node', '=', node).execute()
  },
  unanswered: (node) =>
    db
      .selectFrom('live_questions')
      .select(['id', 'question'])
      .where('id', 'not in', (own) =>
        own.selectFrom('live_answers').select('question_id').where('node', '=', node),
      )
      .execute(),
  answer: async (id, { node, answer }) => {
    await db
      .insertInto('live_answers')
      .values({ question_id: id, node, answer })
      .onConflict((conflict) => conflict.columns(['question_id', 'node']).doNothing())
      .execute()
  },
})
