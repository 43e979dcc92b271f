/** A mail server in the process of a test, without TLS unless given. It keeps what it gets, and refuses what the test says. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type ReceivedMail = {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body, as they were sent. */
  readonly source: string
}

export type MailServerForTests = { readonly port: number; readonly received: ReceivedMail[] }

type Scope = Pick<TestContext, 'after'>

export const USER = 'robot'
export const PASSWORD = 'canary-p%ss-71c3'

/** @param options replaces what it does by default; it asks for {@link USER} and {@link PASSWORD} when `onAuth` is not given */
export async function startMailServer(
  test: Scope,
  options: SMTPServerOptions = {},
): Promise<MailServerForTests> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    allowInsecureAuth: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    onAuth: ({ username, password }, _session, done) => {
      const isKnown = username === USER && password === PASSWORD
      done(
        isKnown ? null : new Error(`535 no, ${username} ${password}`),
        isKnown ? { user: USER } : undefined,
      )
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom === false ? '' : (mailFrom?.address ?? ''),
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString(),
        })
        done()
      })
    },
    ...options,
  })
  // Clients that break off are part of the tests.
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  test.after(() => new Promise<void>((done) => server.close(() => done())))
  return { port: (server.server.address() as AddressInfo).port, received }
}
