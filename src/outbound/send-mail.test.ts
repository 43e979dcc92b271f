/** Messages to a real mail server in this process. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { Problem } from '../kernel/problem.ts'
import { mailAddress } from './mail-address.ts'
import { type MailMessage, openMailer } from './send-mail.ts'
import { targetRules } from './target.ts'
import { PASSWORD, startMailServer, USER } from './testing/mail-server.ts'

const message = (members: Partial<MailMessage> = {}): MailMessage => ({
  to: [mailAddress('Ada Byrne <ada@example.com>')],
  cc: [],
  bcc: [],
  replyTo: [],
  subject: 'Report of the night',
  text: 'Hello',
  html: null,
  attachments: [],
  ...members,
})

const mailer = (url: string, password?: string) =>
  openMailer({ url, password, from: 'Reports <reports@example.com>', rules: targetRules('') })

const never = new AbortController().signal

/** The problem with which it rejects. */
async function problemOf(work: Promise<unknown>): Promise<Problem> {
  return work.then(
    () => assert.fail('It was sent'),
    (cause) => (cause instanceof Problem ? cause : assert.fail(String(cause))),
  )
}

type RawServer = { readonly port: number; readonly wire: () => string }

/** A mail server that keeps the bytes as they come. @param answer replaces the answer to a line */
async function rawServer(
  test: TestContext,
  answer: (line: string) => string | null = () => null,
): Promise<RawServer> {
  let wire = ''
  const server = createServer((socket) => {
    let [pending, isData] = ['', false]
    socket.on('error', () => undefined)
    socket.setEncoding('latin1').write('220 x\r\n')
    socket.on('data', (text: string) => {
      wire += text
      pending += text
      for (;;) {
        const end = isData ? '\r\n.\r\n' : '\r\n'
        const at = pending.indexOf(end)
        if (at === -1) return
        const line = pending.slice(0, at)
        pending = pending.slice(at + end.length)
        isData = !isData && line === 'DATA'
        socket.write(
          `${isData ? '354 go' : ((/^(?:EHLO|AUTH|\S+$)/.test(line) ? answer(line) : null) ?? '250 ok')}\r\n`,
        )
      }
    })
  }).listen(0, '127.0.0.1')
  test.after(() => void server.close())
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, wire: () => wire }
}

describe('a message', () => {
  it('arrives with all its parts, and at recipients that it does not name', async (test) => {
    const { port, received } = await startMailServer(test)
    const { messageId, refused } = await mailer(`smtp://127.0.0.1:${port}`)(
      message({
        cc: [mailAddress('bob@example.com')],
        bcc: [mailAddress('eve@example.com')],
        replyTo: [mailAddress('desk@example.com')],
        subject: 'Gr\u00fc\u00dfe',
        html: '<p>Hello</p>',
        attachments: [{ filename: 'a.csv', contentType: 'text/csv', content: Buffer.from('a;b\n') }],
      }),
      5000,
      never,
    )
    assert.deepEqual(refused, [])
    const [mail] = received
    assert.equal(mail?.from, 'reports@example.com')
    assert.deepEqual(mail?.to, ['ada@example.com', 'bob@example.com', 'eve@example.com'])
    for (const line of [
      'From: Reports <reports@example.com>',
      'To: Ada Byrne <ada@example.com>',
      'Cc: bob@example.com',
      'Reply-To: desk@example.com',
      `Message-ID: ${messageId}`,
      Buffer.from('a;b\n').toString('base64'),
      'filename=a.csv',
      '<p>Hello</p>',
    ]) {
      assert.ok(mail?.source.includes(line), line)
    }
    assert.ok(!mail?.source.includes('eve@example.com'))
  })

  it('is sent as the user of the URL, with the password of the URL or of its own setting', async (test) => {
    const users: (string | undefined)[] = []
    const { port } = await startMailServer(test, {
      authOptional: false,
      onMailFrom: (_address, { user }, done) => {
        users.push(String(user))
        done()
      },
    })
    const url = (password: string) => `smtp://${USER}${password}@127.0.0.1:${port}`
    await mailer(url(`:${encodeURIComponent(PASSWORD)}`))(message(), 5000, never)
    await mailer(url(''), PASSWORD)(message(), 5000, never)
    assert.deepEqual(users, [USER, USER])
  })

  it('that the server refuses says why, but never the password, also when the server repeats it', async (test) => {
    const { port } = await startMailServer(test, {
      onAuth: ({ password }, _session, done) => {
        done(Object.assign(new Error(`not ${password}`), { responseCode: 535 }))
      },
      onRcptTo: (_address, _session, done) =>
        done(Object.assign(new Error('no such box'), { responseCode: 550 })),
    })
    const url = `smtp://${USER}@127.0.0.1:${port}`
    const login = await problemOf(mailer(url, PASSWORD)(message(), 5000, never))
    assert.equal(login.code, 'OUT118')
    assert.match(login.message, /not \[redacted\]/)
    assert.ok(!JSON.stringify([login, login.message, String(login.cause)]).includes(PASSWORD))
    const recipient = await problemOf(mailer(`smtp://127.0.0.1:${port}`)(message(), 5000, never))
    assert.deepEqual([recipient.code, /no such box/.test(recipient.message)], ['OUT118', true])
  })

  it('that the server refuses never says the password as it was sent', async (test) => {
    for (const mechanism of ['PLAIN', 'LOGIN']) {
      const said = await rawServer(test, (line) => {
        if (/^EHLO/.test(line)) return `250-x\r\n250 AUTH ${mechanism}`
        if (line === 'AUTH LOGIN' || line === Buffer.from(USER).toString('base64')) return '334 more'
        return `535 no: ${line}`
      })
      const { message: text } = await problemOf(
        mailer(`smtp://${USER}@127.0.0.1:${said.port}`, PASSWORD)(message(), 5000, never),
      )
      assert.match(text, /535 no: .*\[redacted\]/)
      const sent = /(\S{12,})\r\n$/.exec(said.wire())?.[1] ?? ''
      assert.ok(Buffer.from(sent, 'base64').toString().endsWith(PASSWORD), said.wire())
      assert.ok(!text.includes(sent.replace(/=+$/, '')), text)
    }
  })

  it('ends where it ends: no text, file or name of it can end it earlier', async (test) => {
    const smuggled = [
      '\r\n.\r\n',
      '\n.\n',
      '\r.\r',
      '\n.\r\n',
      '\r\n.\n',
      '\r\n.\r',
      '\r\r\n.\r\r\n',
      '\0\r\n.\r\n',
    ]
      .map((end) => `x${end}MAIL FROM:<eve@example.com>${end}DATA${end}`)
      .join('')
    const { port, wire } = await rawServer(test)
    const attachment = {
      filename: `${smuggled}.txt`,
      contentType: 'text/plain',
      content: Buffer.from(smuggled),
    }
    for (const members of [
      { text: smuggled },
      { text: null, html: smuggled },
      { text: smuggled, html: `${smuggled}\u00e9` },
      { text: `${'y'.repeat(3000)}${smuggled}` },
      { subject: smuggled },
      { attachments: [attachment] },
      { to: [{ name: smuggled, address: 'ada@example.com' }] },
    ]) {
      const before = wire().length
      await mailer(`smtp://127.0.0.1:${port}`)(message(members), 5000, never)
      const said = wire()
        .slice(before)
        .replace(/QUIT\r\n$/, '')
      const sent = said.slice(said.indexOf('DATA\r\n') + 'DATA\r\n'.length)
      assert.equal(sent.indexOf('\r\n.\r\n'), sent.length - '\r\n.\r\n'.length)
      // Servers that take a bare CR or LF for a line end must not see another end either.
      assert.doesNotMatch(sent, /\r(?!\n)|(?<!\r)\n|\0/)
      assert.ok(sent.split('\r\n').every((line) => line.length <= 998))
    }
  })

  it('reaches the others when the server refuses one recipient', async (test) => {
    const { port, received } = await startMailServer(test, {
      onRcptTo: ({ address }, _session, done) =>
        done(address === 'bob@example.com' ? new Error('no such box') : undefined),
    })
    const to = ['ada@example.com', 'bob@example.com'].map(mailAddress)
    const { refused } = await mailer(`smtp://127.0.0.1:${port}`)(message({ to }), 5000, never)
    assert.deepEqual([refused, received[0]?.to], [['bob@example.com'], ['ada@example.com']])
  })

  it('is sent once, also when the server does not take it for now', async (test) => {
    let attempts = 0
    const { port } = await startMailServer(test, {
      onData: (stream, _session, done) => {
        attempts++
        stream.resume()
        stream.on('end', () => done(Object.assign(new Error('try later'), { responseCode: 451 })))
      },
    })
    const problem = await problemOf(mailer(`smtp://127.0.0.1:${port}`)(message(), 5000, never))
    assert.deepEqual([problem.code, attempts], ['OUT117', 1])
  })
})

describe('a mail server', () => {
  it('that is away, or says nothing, is named', async (test) => {
    const away = await problemOf(mailer('smtp://127.0.0.1:1')(message(), 5000, never))
    assert.equal(away.code, 'OUT117')
    assert.match(away.message, /127\.0\.0\.1 did not take the message: .*ECONNREFUSED/)
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    test.after(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const slow = await problemOf(mailer(`smtp://127.0.0.1:${port}`)(message(), 50, never))
    assert.deepEqual([slow.code, /within 50 ms/.test(slow.message)], ['OUT117', true])
  })

  it('loses its connection when the signal is raised', async (test) => {
    const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>()
    const stop = new AbortController()
    const silent = createServer((socket) => {
      socket.on('close', () => closed())
      socket.on('error', () => undefined)
      stop.abort(new Error('stopped'))
    }).listen(0, '127.0.0.1')
    test.after(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const sending = mailer(`smtp://127.0.0.1:${port}`)(message(), 5000, stop.signal)
    await assert.rejects(sending, { message: 'stopped' })
    await isClosed
  })

  it('must change to TLS, with a certificate that can be checked, unless the operator trusts it', async (test) => {
    const { port } = await startMailServer(test, { disabledCommands: ['STARTTLS'] })
    // Another name of this machine, which is not known to be this machine.
    const url = `smtp://0.0.0.0:${port}`
    const plain = await problemOf(mailer(url)(message(), 5000, never))
    assert.deepEqual([plain.code, /STARTTLS/i.test(plain.message)], ['OUT118', true], plain.message)
    const rules = targetRules('0.0.0.0')
    await openMailer({ url, password: undefined, from: 'a@example.com', rules })(message(), 5000, never)

    const unsigned = await startMailServer(test, { hideSTARTTLS: false })
    const tls = await problemOf(mailer(`smtp://0.0.0.0:${unsigned.port}`)(message(), 5000, never))
    assert.deepEqual([tls.code, /certificate/i.test(tls.message)], ['OUT117', true], tls.message)
    await mailer(`smtp://127.0.0.1:${unsigned.port}`)(message(), 5000, never)
  })
})
