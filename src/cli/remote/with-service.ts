/** Opens what a command works on: the data folder, or with `--server` the service at that address. */
import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { isBasePath } from '../../kernel/addresses/base-path.ts'
import type { Invocation } from '../invocation.ts'
import { type StoreOptions, withStore } from '../with-store.ts'
import type { Place } from './admin-client.ts'
import type { EndpointService } from './endpoint-service.ts'
import { badServer, serverMissing, tokenMissing, unusableToken } from './problems.ts'

export type ServiceOptions = StoreOptions & {
  readonly server?: string
  readonly token?: string
  readonly tokenFile?: string
}

/** The options of every command that works on a data folder or a service. Its `--json` is added, too. */
export const withServiceOptions = (command: Command): Command =>
  command
    .option('--data <folder>', 'data folder (default: ./data)')
    .option(
      '--store <url>',
      'PostgreSQL database of the accounts, postgres://user:password@host:port/name (default: files in the data folder)',
    )
    .addOption(
      new Option(
        '--server <url>',
        'work on the service at this address instead, with a token in TRIPFOLIO_TOKEN',
      ).conflicts(['data', 'store']),
    )
    .option('--token-file <file>', 'file with the token for --server')
    .addOption(
      new Option(
        '--token <token>',
        'token for --server; other users of this machine can see it, TRIPFOLIO_TOKEN and --token-file they cannot',
      ).conflicts('tokenFile'),
    )
    .option('--json', 'print JSON')

/** @param existence whether a missing store is created; otherwise it is refused. Nothing is created on a service */
export async function withEndpointService<T>(
  cli: Invocation,
  options: ServiceOptions,
  existence: { readonly create: boolean },
  work: (service: EndpointService) => Promise<T>,
): Promise<T> {
  const place = await placeOf(cli, options)
  if (place !== null) {
    const { remoteService } = await import('./remote-service.ts')
    return work(remoteService(place))
  }
  const { localService } = await import('./local-service.ts')
  const config = cli.config({ data: options.data, store: options.store })
  return withStore(cli, options, existence, (store) => work(localService(store, config)))
}

/**
 * The service and the token for it; null without `--server`.
 *
 * @throws Problem END200 or END201
 */
export async function placeOf(cli: Invocation, options: ServiceOptions): Promise<Place | null> {
  const { server, token, tokenFile, json = false } = options
  if (server === undefined) {
    if (token !== undefined) throw serverMissing('--token')
    if (tokenFile !== undefined) throw serverMissing('--token-file')
    return null
  }
  const address = addressOf(server)
  const place = { server: address.origin + basePathOf(address), token: await tokenOf(cli, options) }
  if (address.protocol === 'http:' && !isThisMachine(address) && !json) {
    cli.printError(`tripfolio: ${address.origin} has no TLS: whoever is in between can read the token\n`)
  }
  return place
}

function addressOf(server: string): URL {
  const address = URL.parse(server)
  if (address === null) throw badServer(server, 'is not an address')
  const { protocol, search, hash, username } = address
  if (!/^https?:$/.test(protocol)) throw badServer(server, 'does not begin with https:// or http://')
  if (username !== '') throw badServer(address.origin, 'had a user and a password in it')
  if (search !== '' || hash !== '') throw badServer(server, 'has more than a path')
  const path = basePathOf(address)
  if (path !== '' && !isBasePath(path)) throw badServer(server, 'has a path that no service can have')
  if (PAGE.test(path)) throw badServer(server, 'is that of a page or of an API')
  return address
}

const basePathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '')

/** What people copy from a browser or a document. */
const PAGE = /\/(?:console|explore|docs)(?:\/.*)?$|\/api(?:\/(?:admin|dynamic|v1|v2).*)?$/i

const isThisMachine = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)

async function tokenOf(
  { io }: Invocation,
  { token, tokenFile }: Pick<ServiceOptions, 'token' | 'tokenFile'>,
): Promise<string> {
  if (token !== undefined) return checked(token, '--token')
  if (tokenFile !== undefined) {
    const text = await readFile(tokenFile, 'utf8').catch((cause: Error) => {
      throw unusableToken(tokenFile, `a file that cannot be read: ${cause.message}`)
    })
    return checked(text, tokenFile)
  }
  const { TRIPFOLIO_TOKEN } = io.env
  if (TRIPFOLIO_TOKEN === undefined || TRIPFOLIO_TOKEN === '') throw tokenMissing()
  return checked(TRIPFOLIO_TOKEN, 'TRIPFOLIO_TOKEN')
}

/** The text itself is not shown: it may be another secret. */
function checked(text: string, place: string): string {
  const token = text.trim().replace(/^Bearer /i, '')
  if (token === '') throw unusableToken(place, 'nothing')
  if (!/^[\x21-\x7e]+$/.test(token)) throw unusableToken(place, 'a text with other characters')
  return token
}
