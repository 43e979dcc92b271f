/**
 * Answers what changed in a list since a token or a moment, as `answer.ts` answers the list: parse, open, walk, and records on demand. Without
 * a token everything was added. The answer has the token of the data that it was made from; a request that names the snapshot
 * of an earlier answer gets the changes up to that one, so all pages of a walk end at the same data.
 */
import { hash } from 'node:crypto'
import type { EncodedJson } from '../../engine/encoded-records.ts'
import type { FinishedRows } from '../../engine/keyed-records.ts'
import { type ChangeBatch, writableChanges } from '../../engine/writers/write-changes.ts'
import type { Cancellation } from '../../kernel/cancellation.ts'
import { TrialCache } from '../../kernel/trial-cache.ts'
import type { Paging } from '../../query/ast.ts'
import { refuseLabels } from '../../query/odata/label-parameters.ts'
import { datasets } from '../../schema/datasets.ts'
import { EMPTY_VERSION, keyMembers, versionName } from '../../snapshot/changes/step.ts'
import type { StepSource } from '../../snapshot/changes/step-store.ts'
import { versionAt } from '../../snapshot/changes/succession.ts'
import type { ServedSnapshot, Snapshot } from '../../snapshot/snapshot.ts'
import { type Answer, type AnswerDeps, type DataRequest, metaOf, stageTimer } from '../answer.ts'
import { notReady } from '../problems.ts'
import { BATCH_RECORDS, type ChangeList, type CopyBudget, changeList, withCopies } from './change-list.ts'
import { parseChangesParameters } from './changes-parameters.ts'
import { makeToken, readToken } from './changes-token.ts'
import { foreignToken, malformedToken, momentTooOld, tokenTooOld } from './problems.ts'
import { MOST_AHEAD_MS, type Since } from './since.ts'

export type ChangesDeps<Served extends ServedSnapshot = Snapshot> = Omit<
  AnswerDeps<Served>,
  'unknownLabels'
> & { readonly steps: StepSource }

/** Bytes of lists that are kept. */
const KEPT_BYTES = 16 * 2 ** 20

/** For the next pages of a list, and for other callers with the same token. */
export type KeptLists = TrialCache<ChangeList>

/** What a question is about: a list of a client, and the snapshot that it is read from. */
type Question = {
  readonly request: DataRequest
  readonly steps: StepSource
  readonly snapshotId: string
  /** An older snapshot has the data when a file is damaged. */
  readonly data: { readonly snapshotId: string; readonly version: string }
}

export const createKeptLists = (): KeptLists => new TrialCache(KEPT_BYTES)

/** @param copyBudget without it, no list keeps copies of its records */
export function createAnswerChanges<Served extends ServedSnapshot = Snapshot>(
  deps: ChangesDeps<Served>,
  lists: KeptLists = createKeptLists(),
  copyBudget: CopyBudget = { leftBytes: 0 },
): (request: DataRequest) => Promise<Answer> {
  return (request) => answerChanges(request, deps, lists, copyBudget)
}

/**
 * @throws Problem SRV201 while no snapshot is ready, SNP305 when the snapshot that was asked for is gone, SNP332 for a token of
 *   another client or list, SNP333 for a moment of which it is not known what changed since; `execute` throws SNP331 or SNP333
 *   when steps turn out to be damaged
 * @throws QueryProblem QRY3xx when a parameter cannot be understood
 */
async function answerChanges<Served extends ServedSnapshot>(
  request: DataRequest,
  { catalogue, engine, limits, observe, steps }: ChangesDeps<Served>,
  lists: KeptLists,
  copyBudget: CopyBudget,
): Promise<Answer> {
  const current = catalogue.current()
  if (current === null) throw notReady()
  const { list, snapshotId: wanted } = request
  const { clientNumber } = request.principal
  const snapshot = wanted === undefined ? current : await catalogue.retained(wanted)
  const timed = stageTimer(observe)
  const refused = request.mayRead?.()
  if (refused) await refused
  const parameters = timed('parse', () => parseChangesParameters(request.parameters(), limits))
  const { since, page, slice, paging, format, unknown } = parameters
  // A token is checked before anything is read.
  const ofToken = since?.kind === 'moment' ? EMPTY_VERSION : versionOf(since, request)
  const data = await timed('load', () => engine.open(snapshot, clientNumber, list))
  refuseLabels(unknown, data.labels)
  const from =
    since?.kind === 'moment'
      ? await timed('plan', () => versionOfMoment(since, { request, steps, snapshotId: snapshot.id, data }))
      : ofToken
  const to = versionName(data.version)
  const key = `${list} ${from} ${to} ${clientNumber}`
  const { stored } = datasets[list]

  async function listOfChanges(cancellation: Cancellation | undefined): Promise<ChangeList> {
    const kept = lists.get(key)
    if (kept !== undefined) return kept
    const onDamage = (reason: string) =>
      observe({
        kind: 'snapshot-damaged',
        snapshot: data.snapshotId,
        file: `changes of ${clientNumber}`,
        reason,
      })
    const walk = { source: steps, clientNumber, stored, from, to, onDamage }
    const keyed = data.keyed()
    const walked = await changeList({ list, walk, keyed, cancellation })
    if (walked === null)
      throw since?.kind === 'moment' ? momentTooOld(list, since.at, null) : tokenTooOld(list)
    const found = await withCopies(walked, keyed, copyBudget)
    lists.keep(key, found, found.byteLength + key.length)
    return found
  }

  return {
    version: 2,
    list,
    member: list,
    clientNumber,
    snapshotId: data.snapshotId,
    lastModified: data.extractedAt,
    currentSince: data.snapshotId === snapshot.id ? snapshot.currentSince : null,
    etag: `"${hash('sha256', `changes\n${key}\n${page?.page}\n${paging?.offset}\n${paging?.limit}`, 'base64url').slice(0, 27)}"`,
    format,
    ignored: [],
    page,
    slice,
    changesToken: makeToken(data.version, { clientNumber, list }),
    meta: ({ total }) => metaOf(total, page),
    execute: async (cancellation) => {
      const found = await timed('execute', () => listOfChanges(cancellation))
      const [begin, end] = boundsOf(paging, found.count)
      const of = { dataset: list, clientNumber, labels: data.labels, shape: null }
      const keyed = data.keyed()
      async function* batches(): AsyncGenerator<ChangeBatch, void, undefined> {
        for (let at = begin; at < end; at += BATCH_RECORDS) {
          const marks: ChangeBatch['marks'][number][] = []
          const rows: number[] = []
          for (let place = at; place < Math.min(at + BATCH_RECORDS, end); place++) {
            const mark = found.markAt(place)
            marks.push(mark)
            if (typeof mark === 'string') rows.push(found.rowAt(place))
          }
          const present =
            found.copies === null ? await keyed.read(rows, cancellation) : rowsOf(found.copies, rows)
          yield { marks, present }
        }
      }
      const changes = { of, keyNames: keyMembers[stored], total: found.count, count: end - begin, batches }
      return writableChanges(changes)
    },
    isRemembered: () => from === to || lists.get(key) !== undefined,
    hold: data.hold,
  }
}

function versionOf(
  since: Exclude<Since, { readonly kind: 'moment' }> | null,
  { list, principal: { clientNumber } }: DataRequest,
): string {
  if (since === null) return EMPTY_VERSION
  const read = readToken(since.text, { clientNumber, list })
  if (read === 'malformed') throw malformedToken(since.text)
  if (read === 'foreign') throw foreignToken(list)
  return read.version
}

/** @throws Problem SNP333, SNP311 while it cannot be known */
async function versionOfMoment(
  { at }: Extract<Since, { readonly kind: 'moment' }>,
  { request: { list, principal }, steps, snapshotId, data }: Question,
): Promise<string> {
  const { clientNumber } = principal
  // In this order: see the contract of the source.
  const edges = await steps.edges(clientNumber, datasets[list].stored)
  const successions = await steps.successions()
  const { version, snapshotId: versionOf } = data
  const served = { clientNumber, snapshotId, version, versionOf, successions, edges }
  const found = versionAt(served, at, Date.now() + MOST_AHEAD_MS)
  if ('oldest' in found) throw momentTooOld(list, at, found.oldest)
  return found.version
}

const rowsOf = (json: EncodedJson, rows: readonly number[]): FinishedRows => ({
  json,
  rows: { ids: Int32Array.from(rows), from: 0, count: rows.length },
})

/** A part past the end is empty. */
function boundsOf(paging: Paging | null, count: number): readonly [begin: number, end: number] {
  if (paging === null) return [0, count]
  const begin = Math.min(paging.offset, count)
  return [begin, Math.min(begin + paging.limit, count)]
}
