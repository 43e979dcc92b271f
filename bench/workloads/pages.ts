/** Pages: the same page repeatedly, unchanged pages (304), filters that never repeat, and pages far from the first. */
import { type Comparison, compare } from '../compare.ts'
import { type Dataset, manyClients, oneClient, prepareDataset } from '../dataset.ts'
import {
  freshAny,
  freshCaretQuery,
  freshContains,
  freshEquality,
  freshFilterAndSort,
  freshLabelEquality,
  freshPage,
  keyOf,
  listPath,
  version1Page,
  wordsOf,
} from '../questions.ts'
import type { Workload } from '../workload.ts'

type Question = Omit<Comparison, 'data' | 'client'>

const samePage = (): string => listPath('bookings')

/** A workload over one client of a data set; the default is the large client of the common data set. */
const comparing =
  (question: Question, size: 'large' | 'small' | 'million' = 'large'): Workload =>
  async (bench) => {
    const dataset = await prepareDataset(size === 'million' ? oneClient(1_000_000) : manyClients)
    return compare(bench, { ...question, ...clientOf(dataset, size) })
  }

const clientOf = (dataset: Dataset, size: 'large' | 'small' | 'million') => ({
  data: dataset,
  client: size === 'small' ? dataset.small : dataset.large,
})

const warmPage: Question = {
  what: 'The same page of 50 bookings repeatedly',
  question: () => samePage,
  withPeers: true,
  alsoWithoutLog: true,
}

const filterAndSort: Question = {
  what: 'A new filter and sort each time, page of 50',
  question: () => freshFilterAndSort,
}

export const pageWorkloads: Readonly<Record<string, Workload>> = {
  'warm-page': comparing({ ...warmPage, ofLimit: { atLeast: 0.8 } }, 'small'),

  'warm-page-large': comparing({ ...warmPage, ofLimit: { atLeast: 0.8 } }),

  'not-modified': comparing({
    what: 'The same page of 50 bookings with its entity tag: 304',
    question: () => samePage,
    status: 304,
    headers: async ({ address }) => {
      const { large } = await prepareDataset(manyClients)
      const response = await fetch(address + samePage(), {
        headers: { ...keyOf(large), 'Accept-Encoding': 'identity' },
      })
      await response.arrayBuffer()
      return { 'If-None-Match': response.headers.get('etag') ?? '' }
    },
  }),

  'fresh-filter-small': comparing({ ...filterAndSort, withPeers: true, ofLimit: { atLeast: 0.6 } }, 'small'),

  'fresh-filter-large': comparing({ ...filterAndSort, withPeers: true, ofPostgres: { atLeast: 20 } }),

  'fresh-filter-million': comparing(filterAndSort, 'million'),

  'indexed-filter-large': comparing({
    what: 'A new equality on text and range of dates each time, page of 50',
    question: async ({ address }) => freshEquality(await wordsOfLarge(address)),
    withPeers: true,
    ofLimit: { atLeast: 0.4 },
  }),

  'custom-label': comparing({
    what: 'A new equality on a custom label and range of dates each time, page of 50',
    question: async ({ address }) => freshLabelEquality(await wordsOfLarge(address)),
    withPeers: true,
    ofLimit: { atLeast: 0.4 },
  }),

  contains: comparing({
    what: 'Three new characters anywhere in the record locator each time, page of 50',
    question: () => freshContains,
    withPeers: true,
  }),

  'any-segment': comparing({
    what: 'Any segment of a carrier from a new code on each time, page of 50 itineraries',
    question: () => freshAny,
    withPeers: true,
  }),

  'first-page': comparing({
    what: 'Page 1 of a new filter each time, which matches all records',
    question: () => freshPage(1),
    withPeers: true,
  }),

  'deep-page': comparing({
    what: 'Page 2000 of a new filter each time, which matches all records',
    question: () => freshPage(2000),
    withPeers: true,
  }),

  'version-1-page': comparing({
    what: 'The same page of 100 bookings of version 1 repeatedly',
    question: () => version1Page,
    alsoWithoutLog: true,
    ofLimit: { atLeast: 0.5 },
  }),

  'version-1-fresh-query': comparing({
    what: 'A new caret query each time, page of 100',
    question: () => freshCaretQuery,
  }),
}

const wordsOfLarge = async (address: string) => wordsOf(address, (await prepareDataset(manyClients)).large)
