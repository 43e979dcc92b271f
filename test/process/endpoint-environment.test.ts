/** What a service sends for scripts and webhooks goes straight to its target, whatever the environment says of proxies and certificates. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { startMailServer } from '../../src/outbound/testing/mail-server.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import type { Json } from '../fixtures/json.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { makeFolders } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { whileServing } from './tripfolio-process.ts'

/** Keeps the first line that each of its clients sends, and answers nothing. */
async function startProxy(test: TestContext) {
  const asked: string[] = []
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      asked.push(data.toString('latin1').split('\r\n')[0] ?? '')
      socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  test.after(() => void server.close())
  await once(server, 'listening')
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function startTarget(test: TestContext) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    if (request.url === '/redirects') response.writeHead(307, { location: '/arrived' })
    response.end('target')
  }).listen(0, '127.0.0.1')
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return { paths, port: (server.address() as AddressInfo).port }
}

const SCRIPT = (plain: string, unsigned: string) => `
var outcomes = []
foreach url in ["${plain}/direct", "${plain}/redirects", "${unsigned}/"] do
  var answer = HttpRequest({url: url, followRedirects: true})
  if answer.error == null then outcomes.add(answer.body)
  else outcomes.add(answer.error.code + " " + answer.error.message) end
end
Data._payload = outcomes
`

describe('requests of scripts and webhooks', () => {
  it('use no proxy of the environment, and check certificates where it says not to', async (test) => {
    const folders = await makeFolders(test)
    const { data } = folders
    await publishExtract(folders, fixtureExtract)
    const proxy = await startProxy(test)
    const target = await startTarget(test)
    // It speaks TLS, with a certificate that nobody signed.
    const unsigned = await startMailServer(test, { secure: true })
    const [plain, tls] = [target.port, unsigned.port].map((port) => `127.0.0.1:${port}`)
    const token = (await runCommand(['token', 'issue', '--role', 'admin', '--data', data])).stdout.trim()
    const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    const env = {
      ...Object.fromEntries(proxies.map((name) => [name, proxy.url])),
      ...{ NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1', NODE_OPTIONS: '--use-env-proxy' },
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      TRIPFOLIO_TRUSTED_HOSTS: '127.0.0.1',
    }
    await whileServing(
      data,
      async ({ address }) => {
        const admin = async (path: string, body: object): Promise<Json> => {
          const response = await fetch(`${address}/api/admin/v1${path}`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${token}`,
              'content-type': 'application/json',
              'if-match': '*',
            },
            body: JSON.stringify(body),
          })
          const text = await response.text()
          assert.ok(response.ok, `${path}: ${text}`)
          return text === '' ? null : JSON.parse(text)
        }
        const script = SCRIPT(`http://${plain}`, `https://${tls}`)
        const draft = {
          name: 'sends',
          category: 'Utility',
          method: 'GET',
          path: 'sends',
          requiresAuthentication: false,
        }
        const { id } = await admin('/endpoints', { ...draft, script, allowedHosts: [plain, tls] })
        await admin(`/endpoints/${id}/publish`, {})
        const answer = await fetch(`${address}/api/dynamic/v1/sends`)
        const outcomes = (await answer.json()) as string[]
        assert.deepEqual(outcomes.slice(0, 2), ['target', 'target'])
        assert.match(outcomes[2] ?? '', /^OUT111 .*certificate/)
        const { account } = await admin('/accounts', {
          clientNumber: fixtureExtract.clients[0]?.client_number,
          name: 'Hooks',
        })
        const { webhook } = await admin('/webhooks', { accountId: account.id, url: `http://${plain}/hook` })
        await admin(`/webhooks/${webhook.id}/test`, {})
        while (!target.paths.includes('/hook')) await new Promise((done) => setTimeout(done, 20))
        assert.deepEqual(target.paths, ['/direct', '/redirects', '/arrived', '/hook'])
        assert.deepEqual(proxy.asked, [])
      },
      { env },
    )
  })
})
