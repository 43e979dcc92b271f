/** A name server in the process of a test, and a look-up that asks it as the resolver of a system would. */
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'
import type { TestContext } from 'node:test'
import type { checkedLookup } from '../target.ts'

/** The addresses of a name, or `=other.example` for a name that stands for another one. */
export type Zone = (name: string) => readonly string[]

const CNAME = 5
const A = 1

/** @param zone is asked once for each question of a client: what it answers may differ each time */
export async function startNameServer(test: TestContext, zone: Zone) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    const { name, end } = nameAt(question, 12)
    const type = question.readUInt16BE(end)
    if (type === A) asked.push(name)
    const records: Buffer[] = []
    const add = (owner: string, values: readonly string[], depth: number) => {
      for (const value of values) {
        if (value.startsWith('=') && depth < 8) {
          const other = value.slice(1)
          records.push(record(owner, CNAME, encodedName(other)))
          add(other, zone(other), depth + 1)
        } else if (isIPv4(value) === (type === A)) records.push(record(owner, type, encodedAddress(value)))
      }
    }
    // Of one answer for both families, so that a test can say which address is there when.
    add(name, type === A ? zone(name) : zone(`${name} AAAA`), 0)
    const header = Buffer.from(question.subarray(0, 12))
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(records.length, 6)
    header.writeUInt32BE(0, 8)
    socket.send(Buffer.concat([header, question.subarray(12, end + 4), ...records]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  test.after(() => void socket.close())
  const resolver = new Resolver({ timeout: 2000, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  const lookup = (async (name: string, _options: object, done: (error: unknown, found: object[]) => void) => {
    const families = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = families.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length === 0) return done(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), [])
    done(
      null,
      found.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 })),
    )
  }) as unknown as Parameters<typeof checkedLookup>[1]
  return { asked, lookup }
}

function nameAt(message: Buffer, start: number) {
  const labels: string[] = []
  let at = start
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

const encodedName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ])

function encodedAddress(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = host.split('::')
  const groups = (part: string | undefined) =>
    part ? part.split(':').map((group) => Number.parseInt(group, 16)) : []
  const [left, right] = [groups(head), groups(tail)]
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}

/** Of class IN, to be forgotten at once. */
function record(owner: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodedName(owner), fixed, data])
}
