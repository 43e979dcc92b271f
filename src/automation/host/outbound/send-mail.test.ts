/** Mail of scripts to a real mail server in this process. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { openMailer } from '../../../outbound/send-mail.ts'
import { targetRules } from '../../../outbound/target.ts'
import { PASSWORD, type ReceivedMail, startMailServer, USER } from '../../../outbound/testing/mail-server.ts'
import { openRuns, type Runs } from '../../testing/open-runs.ts'
import { outboundServices } from '../../testing/outbound-services.ts'

const ends: (() => unknown)[] = []
const scope = { after: (end: () => unknown) => void ends.push(end) } as never

let received: ReceivedMail[]
let runs: Runs
/** The same with narrow limits, and with one domain allowed. */
let narrow: Runs
/** The same without a mail server. */
let without: Runs
let away: Runs

before(async () => {
  const server = await startMailServer(scope, {
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('nobody@') ? new Error('no such box') : undefined),
  })
  received = server.received
  const mailAt = (port: number) =>
    openMailer({
      url: `smtp://${USER}@127.0.0.1:${port}`,
      password: PASSWORD,
      from: 'Reports <reports@example.com>',
      rules: targetRules(''),
    })
  const mail = mailAt(server.port)
  const { limits } = outboundServices()
  runs = await openRuns({ outbound: outboundServices({ mail }) })
  narrow = await openRuns({
    outbound: outboundServices({
      ...{ mail, mailDomains: 'example.com' },
      limits: { ...limits, mailRecipients: 2, mailBytes: 2000 },
    }),
  })
  without = await openRuns()
  away = await openRuns({ outbound: outboundServices({ mail: mailAt(1) }) })
})

function prepareEachTest(): void {
  beforeEach(() => {
    received.length = 0
  })
}

after(async () => {
  await Promise.all([runs, narrow, without, away].map((own) => own.close()))
  for (const end of ends) await end()
})

type Sent = {
  sent: boolean
  messageId: string | null
  refused: string[]
  error: { code: string; message: string } | null
}

const send = async (members: string, own = runs) => (await own.answer(`SendMail({${members}})`)) as Sent

const failure = async (members: string, own = runs) => {
  const { execution } = await own.run(`SendMail({${members}})`)
  assert.equal(execution?.status, 'Failed', members)
  return `${execution?.error?.code} ${execution?.error?.message}`
}

describe('SendMail', () => {
  prepareEachTest()

  it('sends to all recipients, with text, HTML and attachments', async () => {
    const { sent, messageId, refused, error } = await send(`
      to: "Ada <ada@example.com>; bob@example.com", cc: ["cc@example.com"], bcc: "bcc@example.com",
      replyTo: "desk@example.com", subject: "Nightly report", text: "Hello", html: "<b>Hello</b>",
      attachments: [
        {filename: "a.csv", content: "a;b", contentType: "text/csv; charset=utf-8"},
        {filename: "b.bin", contentBase64: "AAEC"}
      ]`)
    assert.deepEqual([sent, refused, error], [true, [], null])
    const [{ from, to, source } = assert.fail()] = received
    assert.equal(from, 'reports@example.com')
    assert.deepEqual(to, ['ada@example.com', 'bob@example.com', 'cc@example.com', 'bcc@example.com'])
    for (const part of [messageId ?? '-', 'Subject: Nightly report', 'AAEC', 'YTti', '<b>Hello</b>']) {
      assert.ok(source.includes(part), part)
    }
  })

  it('reads names in quotes, which may have a comma', async () => {
    const to = '"\\"Byrne, Ada\\" <ada@example.com>, O\\"Neil <bob@example.com>; cc@example.com"'
    assert.equal((await send(`to: ${to}, text: "a"`)).sent, true)
    assert.deepEqual(received[0]?.to, ['ada@example.com', 'bob@example.com', 'cc@example.com'])
    assert.match(received[0]?.source ?? '', /"Byrne, Ada" <ada@example\.com>/)
  })

  it('reads no more of a long list than it may send to', async () => {
    // What stands behind the first one too many is not looked at.
    const list = '"a@example.com, b@example.com, c@example.com, this is no address"'
    assert.match(await failure(`to: ${list}, text: "a"`, narrow), /at most 2 recipients/)
    const many = `"${'a@b.co, '.repeat(21)}this is no address"`
    assert.match(
      await failure(`to: "a@b.co", replyTo: ${many}, text: "a"`),
      /at most 20 addresses as replyTo/,
    )
  })

  it('tells the script why nothing was sent, so that it can go on', async () => {
    for (const [members, own, code] of [
      ['to: "ada@", text: "a"', runs, 'OUT119'],
      ['to: "ada@example.com", cc: "ada@other.com", text: "a"', narrow, 'OUT119'],
      ['to: "nobody@example.com", text: "a"', runs, 'OUT118'],
      ['to: "ada@example.com", text: "a"', away, 'OUT117'],
    ] as const) {
      const { sent, messageId, error } = await send(members, own)
      assert.deepEqual([sent, messageId, error?.code], [false, null, code], members)
    }
    assert.equal(received.length, 0)
    const { execution } = await runs.run('SendMail({to: "ada@", text: "a"})')
    assert.deepEqual(
      execution?.log.map(({ level }) => level),
      ['Warning'],
    )
  })

  it('reaches no other domain than those that are allowed, however an address is written', async () => {
    const literal = (text: string) => `FromJson(${JSON.stringify(JSON.stringify(text))})`
    const texts = [
      'ada@example.com, eve@evil.example',
      'ada@example.com; eve@evil.example',
      'ada@example.com@evil.example',
      'eve@evil.example@example.com',
      'eve%evil.example@example.com',
      'evil.example!eve@example.com',
      '@example.com:eve@evil.example',
      '<@example.com:eve@evil.example>',
      'team: ada@example.com, eve@evil.example;',
      'ada@example.com (eve@evil.example)',
      'ada(@example.com)@evil.example',
      '"ada@example.com" <eve@evil.example>',
      '"ada@example.com,"@evil.example',
      'ada@example.com<eve@evil.example>',
      '<ada@example.com> <eve@evil.example>',
      'ada@example.com\\0@evil.example',
      'ada@evil.example\0.example.com',
      'ada@evil.example\r\nRCPT TO:<eve@evil.example>',
      'ada@example.com.evil.example',
      'ada@evil.example#.example.com',
      'ada@ex\u0430mple.com',
      'ada@example\u3002com',
      'ada@[127.0.0.1]',
      'ada@xn--example.com',
      `${'a'.repeat(300)}@example.com`,
    ]
    for (const text of texts) {
      for (const member of ['to', 'cc', 'bcc']) {
        const { sent, error } = await send(`${member}: ${literal(text)}, text: "a"`, narrow)
        assert.deepEqual([sent, error?.code], [false, 'OUT119'], `${member} ${text}`)
      }
    }
    assert.deepEqual(received, [])
    const part = fc.constantFrom('ada', 'eve', '@', 'example.com', 'evil.example', ...',;:<>"()%!\\ .')
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 10 }), async (parts) => {
        received.length = 0
        await narrow.run(`SendMail({to: ${literal(parts.join(''))}, text: "a"})`)
        for (const address of received.flatMap(({ to }) => to))
          assert.match(address, /^[^@%!]+@example\.com$/)
      }),
      { numRuns: 60, examples: [[['ada', '@', 'example.com']]] },
    )
  })

  it('lists recipients that the server did not take', async () => {
    const { sent, refused } = await send('to: ["ada@example.com", "nobody@example.com"], text: "a"')
    assert.deepEqual([sent, refused, received[0]?.to], [true, ['nobody@example.com'], ['ada@example.com']])
  })

  it('refuses arguments of another form, and what the service is not set up for', async () => {
    for (const [members, own, expected] of [
      ['text: "a"', runs, /JM5920 .*a recipient/],
      ['to: "ada@example.com"', runs, /JM5920 .*a text, html, or both/],
      ['to: 5, text: "a"', runs, /JM5104 .*texts as to/],
      ['to: "ada@example.com", text: []', runs, /JM5104 .*a text as text/],
      ['to: "ada@example.com", text: "a", from: "b@example.com"', runs, /JM5920 .*but not 'from'/],
      ['to: "a@b.c", text: "a", attachments: [{content: "a"}]', runs, /JM5920 .*a filename/],
      ['to: "a@b.c", text: "a", attachments: [{filename: "a"}]', runs, /JM5920 .*content or contentBase64/],
      ['to: "a@b.c", text: "a", attachments: [{filename: "a", contentBase64: "?"}]', runs, /JM5920 .*base64/],
      [
        'to: "a@b.c", text: "a", attachments: [{filename: "a", path: "/etc/passwd"}]',
        runs,
        /JM5920 .*'path'/,
      ],
      [
        'to: "a@b.c", text: "a", attachments: [{filename: "a", content: "a", contentType: "a"}]',
        runs,
        /JM5920 .*media type/,
      ],
      ...['message/rfc822', 'Multipart/Mixed; boundary=x', 'message/partial; id=1'].map(
        (type) =>
          [
            `to: "a@b.c", text: "a", attachments: [{filename: "a", content: "a", contentType: "${type}"}]`,
            runs,
            /JM5920 .*attaches no message/,
          ] as const,
      ),
      [
        'to: "a@b.c", text: "a", attachments: [{filename: PadLeft("", 256, "n"), content: "a"}]',
        runs,
        /JM5920 .*filenames of at most 255/,
      ],
      [
        'to: "a@b.c", text: "a", attachments: [{filename: "a", content: "a", contentType: PadLeft("text/", 300, "p")}]',
        runs,
        /JM5920 .*media type/,
      ],
      [
        'to: "ada@example.com", text: "a"',
        without,
        /JM5920 .*no mail server\. Set smtpUrl and smtpFrom \(TRIPFOLIO_SMTP_URL, TRIPFOLIO_SMTP_FROM\)\. \(CFG204\)/,
      ],
    ] as const) {
      assert.match(await failure(members, own), expected, members)
    }
    assert.equal(received.length, 0)
  })

  it('takes 20 attachments, and the first 500 characters of a subject', async () => {
    const attached = (count: number) =>
      `to: "ada@example.com", text: "a", attachments: [${Array(count).fill('{filename: "a", content: "a"}').join(', ')}]`
    assert.equal((await send(attached(20))).sent, true)
    assert.match(await failure(attached(21)), /at most 20 attachments/)
    await send('to: "ada@example.com", text: "a", subject: PadLeft("", 501, "s")')
    const [head = ''] = (received.at(-1)?.source ?? '').split('\r\n\r\n')
    const [, subject = ''] = /^Subject:([\s\S]*?)\r\n(?![ \t])/m.exec(`${head}\r\n`) ?? []
    assert.equal(subject.match(/s/g)?.length, 500)
  })

  it('sends no more in one run than the settings allow', async () => {
    const to = 'to: "ada@example.com"'
    const { execution } = await narrow.run(
      `SendMail({${to}, text: "1"})\nSendMail({${to}, text: "2"})\nSendMail({${to}, text: "3"})`,
    )
    assert.match(
      execution?.error?.message ?? '',
      /at most 2 recipients\. .*mailRecipientsPerRun\. \(END184\)/,
    )
    assert.deepEqual([execution?.sent.mails, execution?.sent.mailRecipients, received.length], [2, 2, 2])
    const large = await failure(`${to}, text: PadLeft("", 3000, "x")`, narrow)
    assert.match(large, /at most 2000 bytes\. .*mailBytesPerRun/)
    // Together, too: each alone is within the limit.
    const one = 'SendMail({to: "ada@example.com", text: PadLeft("", 1500, "x")})'
    const together = (await narrow.run(`${one}\n${one}`)).execution
    assert.match(together?.error?.message ?? '', /at most 2000 bytes/)
    assert.deepEqual([together?.error?.line, together?.sent.mails], [2, 1])
    assert.equal(received.length, 3)
  })

  it('leaves neither texts nor passwords in the record, in the log and in what is reported', async () => {
    runs.observations.length = 0
    const { execution } = await runs.run(
      'SendMail({to: "ada@example.com", subject: "canary-s", text: "canary-t", attachments: [{filename: "a", content: "canary-a"}]})',
    )
    const told = JSON.stringify([execution?.log, execution?.response, runs.observations])
    assert.ok(!/canary|ada@example/.test(told), told)
    assert.ok(!JSON.stringify([execution, runs.observations]).includes(PASSWORD))
    assert.deepEqual(execution?.sent.mails, 1)
    const sent = runs.observations.find(({ kind }) => kind === 'script-sent')
    assert.deepEqual(sent?.kind === 'script-sent' && [...sent.mailOutcomes], [['sent', 1]])
  })

  it('leaves no part of a secret in the log, also where a message quotes its beginning only', async () => {
    const secret = Array.from({ length: 40 }, (_, at) => `canary${at}`).join('-')
    await runs.store.secrets.set('long', { value: secret }, 'test')
    const { execution } = await runs.run('SendMail({to: GetSecret("long"), subject: "a", text: "b"})')
    assert.match(JSON.stringify(execution?.log), /SendMail: .*OUT119|SendMail: Expected an address/)
    assert.doesNotMatch(JSON.stringify(execution), /canary/)
  })

  it('has the headers that it is given and no other, whatever their texts hold', async () => {
    const part = fc.string({
      unit: fc.constantFrom(
        'a',
        ' ',
        ':',
        '\r',
        '\n',
        '\0',
        '"',
        '\\',
        '=',
        '?',
        ';',
        '\u00e9',
        '\u2028',
        '\u{1f600}',
      ),
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(part, part, part, async (subject, name, filename) => {
        received.length = 0
        const literal = (text: string) => `FromJson(${JSON.stringify(JSON.stringify(text))})`
        await runs.run(`SendMail({
          to: ${literal(`${name}<ada@example.com>`)}, subject: ${literal(`${subject}\r\nX-Evil: 1`)},
          text: "t", attachments: [{filename: ${literal(`f${filename}\r\nX-Evil: 1`)}, content: "c"}]
        })`)
        for (const { source, to } of received) {
          assert.deepEqual(to, ['ada@example.com'])
          assert.doesNotMatch(source, /^(?:x-evil|bcc)/im)
          const [head = ''] = source.split('\r\n\r\n')
          const names = head
            .split(/\r\n(?![ \t])/)
            .map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
          assert.deepEqual(names.sort(), [
            ...['content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'],
          ])
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('a dry run', () => {
  prepareEachTest()

  it('sends no mail, and needs no mail server', async () => {
    const script = `Data._payload = SendMail({
      to: "Ada <ada@example.com>", subject: "S", text: "T", attachments: [{filename: "a", content: "12345"}]
    })`
    const { response, dryRunWrites } = await without.run(script, { type: 'Test' })
    assert.equal(response.body, '{"sent":true,"messageId":"","refused":[],"error":null}')
    assert.deepEqual(dryRunWrites, [
      {
        action: 'mail.send',
        subjectId: 'S',
        before: null,
        after: {
          to: [{ name: 'Ada', address: 'ada@example.com' }],
          ...{ cc: [], bcc: [], replyTo: [], subject: 'S', text: 'T', html: null },
          attachments: [{ filename: 'a', contentType: 'application/octet-stream', sizeBytes: 5 }],
        },
      },
    ])
    assert.equal(received.length, 0)
  })

  it('refuses what the real one refuses', async () => {
    const script = 'Data._payload = SendMail({to: "ada@other.com", text: "T"}).error.code'
    const { response, dryRunWrites } = await narrow.run(script, { type: 'Test' })
    assert.deepEqual([response.body, dryRunWrites], ['"OUT119"', []])
  })
})
