/** For tests of changes: random histories of one client's records, published as snapshots, and what callers know of them. */
import fc from 'fast-check'
import type { ListName, StoredName } from '../../../schema/datasets.ts'
import type { FieldValue } from '../../../schema/field.ts'
import { CollectionBuilder } from '../../../snapshot/format/collection-builder.ts'
import type { SnapshotDraft } from '../../../snapshot/writing/snapshot-writer.ts'

/** The records of a client by locator or number; the numbers stand for their contents. */
export type State = {
  readonly bookings: Readonly<
    Record<string, { readonly agency: number; readonly segments: number; readonly day: number }>
  >
  readonly invoices: Readonly<Record<string, { readonly terms: number; readonly day: number }>>
  readonly label: string
  readonly isKnown: boolean
}

export type Event =
  | { readonly kind: 'publish'; readonly state: State }
  /** The same records once more. */
  | { readonly kind: 'repeat' }
  /** Some collections are built, and then nothing more happens. */
  | { readonly kind: 'kill'; readonly state: State }
  | { readonly kind: 'roll-back' }
  | { readonly kind: 'retire'; readonly keep: number }
  /** What refreshes noted before one of the moments is removed, where the place can do that. */
  | { readonly kind: 'forget'; readonly moment: number }

const contents = fc.nat({ max: 2 })
const keys = ['A', 'a', 'B0', 'Ä', '\u{1f600}', '\uff21', 'C"\\', 'Z']

const arbitraryState: fc.Arbitrary<State> = fc.record({
  bookings: fc.dictionary(
    fc.constantFrom(...keys),
    fc.record({ agency: contents, segments: contents, day: contents }),
    { maxKeys: 6, noNullPrototype: true },
  ),
  invoices: fc.dictionary(
    fc
      .tuple(fc.constantFrom('X', 'Y'), fc.constantFrom(...keys))
      .map(([company, number]) => `${company}/${number}`),
    fc.record({ terms: contents, day: contents }),
    { maxKeys: 6, noNullPrototype: true },
  ),
  label: fc.constantFrom('Cost', 'Centre'),
  isKnown: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, fc.constant(false)),
})

export const arbitraryHistory: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: arbitraryState.map((state) => ({ kind: 'publish' as const, state })) },
    fc.constant({ kind: 'repeat' as const }),
    arbitraryState.map((state) => ({ kind: 'kill' as const, state })),
    { weight: 2, arbitrary: fc.constant({ kind: 'roll-back' as const }) },
    fc.integer({ min: 1, max: 3 }).map((keep) => ({ kind: 'retire' as const, keep })),
    fc.nat().map((moment) => ({ kind: 'forget' as const, moment })),
  ),
  { minLength: 2, maxLength: 9 },
)

export const CLIENT = 'C1'

/** Adds the collections of the client, and an empty client that never changes. */
export async function addState(draft: SnapshotDraft, state: State): Promise<void> {
  if (state.isKnown) for (const builder of buildersOf(state)) await draft.add(builder)
  for (const builder of buildersOf({ ...state, bookings: {}, invoices: {}, label: 'Cost' }, 'C2'))
    await draft.add(builder)
}

export async function publishState(draft: SnapshotDraft, state: State): Promise<string> {
  await addState(draft, state)
  const clients = [...(state.isKnown ? [CLIENT] : []), 'C2'].map((clientNumber) => ({
    clientNumber,
    name: clientNumber,
  }))
  const { id } = await draft.publish({ extractedAt: new Date('2026-01-02T03:04:05Z'), clients, rejects: 0 })
  return id
}

function buildersOf(state: State, clientNumber = CLIENT): readonly CollectionBuilder[] {
  const { bookings, invoices, label } = state
  const builder = (stored: StoredName) => new CollectionBuilder(stored, clientNumber, [label])
  const built = { bookings: builder('bookings'), invoices: builder('invoices') }
  for (const [locator, { agency, segments, day }] of inOrder(bookings)) {
    built.bookings.append({
      values: [clientNumber, locator, `Agency ${agency}`, day, 0, true, false, 0, 0],
      custom: [agency === 0 ? null : `${agency}`],
      elements: Array.from({ length: segments }, (_, i) => [i, 'AIR', 0, null, null, null, null, null, null]),
      lists: noLists,
    })
  }
  for (const [name, { terms, day }] of inOrder(invoices)) {
    const [company = '', number = ''] = name.split('/')
    const values: FieldValue[] = [
      company,
      clientNumber,
      null,
      number,
      day,
      `T${terms}`,
      0,
      null,
      null,
      null,
      null,
    ]
    built.invoices.append({ values, custom: [null], elements: [], lists: noLists })
  }
  return [built.bookings, built.invoices, builder('bookings-v1'), builder('invoices-v1')]
}

const noLists = { travellers: '[]', segments: '[]', lineItems: '[]', payments: '[]' }

const inOrder = <Content extends { readonly day: number }>(records: Readonly<Record<string, Content>>) =>
  Object.entries(records).sort(([a, one], [b, other]) => one.day - other.day || (a < b ? -1 : 1))

/** What a caller knows of a list: the text of each record by its identity, and the token to go on with. */
export type Known = { readonly token: string | null; readonly records: ReadonlyMap<string, string> }

/** Applies lines of changes. @throws Error for a change that does not fit what is known, or is out of order */
export function applied(known: Known, lines: readonly string[], list: ListName, token: string): Known {
  const records = new Map(known.records)
  for (const line of lines) {
    const { _change: change, ...record } = JSON.parse(line) as Record<string, unknown>
    const key = identityOf(record, list)
    const isThere = records.has(key)
    if (isThere === (change === 'added')) throw new Error(`'${key}' was ${change}, and was there: ${isThere}`)
    const text = line.replace(`,"_change":"${change}"}`, '}')
    if (change === 'removed') records.delete(key)
    else if (records.get(key) === text) throw new Error(`'${key}' was ${change} to what it was`)
    else records.set(key, text)
  }
  return { token, records }
}

export const identityOf = (record: Readonly<Record<string, unknown>>, list: ListName): string =>
  list === 'invoices' ? `${record.company}/${record.invoiceNumber}` : String(record.recordLocator)
