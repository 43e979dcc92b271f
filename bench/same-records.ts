/** Checks that two servers answer a request with the same records in the same order, and the same total. */
import type { Server } from './contenders/server.ts'
import type { Traffic } from './load.ts'

export async function checkSameRecords(expected: Server, found: Server, traffic: Traffic): Promise<void> {
  const path = traffic.path()
  const [right, given] = await Promise.all(
    [expected, found].map(async ({ address }) => {
      const response = await fetch(address + path, { headers: traffic.headers })
      return summaryOf(await response.text())
    }),
  )
  if (right !== given) {
    throw new Error(
      `${found.name} answers ${decodeURIComponent(path)} with\n${given}\nwhere ${expected.name} has\n${right}`,
    )
  }
}

type Envelope = { readonly [list: string]: unknown; readonly _meta?: { readonly total: number } }

function summaryOf(body: string): string {
  const envelope = JSON.parse(body) as Envelope
  const records = Object.values(envelope).find(Array.isArray) as { recordLocator: string }[] | undefined
  if (records === undefined) return body
  return `${envelope._meta?.total} in all: ${records.map(({ recordLocator }) => recordLocator).join(' ')}`
}
