/** An installation with something of everything, and a call of each command that works on it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStores } from '../../src/directory/open-stores.ts'
import { fillStores, SECRET_KEY } from '../../src/directory/testing/filled-stores.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { runCommand } from './run-command.ts'

/** Where it is, as the folders of `installIn`. */
type Place = { readonly root: string; readonly data: string }

/** Of its objects: what commands name. */
type Names = {
  readonly endpoint: string
  readonly execution: string
  readonly webhook: string
  readonly delivery: string
}

export type Installed = { readonly names: Names; readonly env: Readonly<Record<string, string>> }

const SCRIPT = 'Data._payload = Length(GetAllOrganizations())\n'

/** Fills the folder: `extract`, `files` for what commands read, `backup`, and the data folder itself. */
export async function installIn({ root, data }: Place): Promise<Installed> {
  const env = { TRIPFOLIO_SECRET_KEY: SECRET_KEY.toString('hex') }
  const files = join(root, 'files')
  await publishExtract({ source: join(root, 'extract'), data }, fixtureExtract)
  await fillStores(data)
  await mkdir(files)
  const texts = {
    'one.yaml': 'name: One\ncategory: Utility\nmethod: GET\npath: one\n',
    'one.jyro': SCRIPT,
    'sample.json': '{"method":"GET"}',
    'alone.jyro': 'Data.x=1\n',
    'directory.csv': 'resource,number,name\nOrganization,O1,First\n',
  }
  for (const [name, text] of Object.entries(texts)) await writeFile(join(files, name), text)
  await runCommand(['backup', join(root, 'backup'), '--data', data], env)
  const stores = await openStores(data, { control: { secretKey: () => SECRET_KEY } })
  const { control, history } = stores
  const [webhook] = await control.webhooks.list()
  const endpoint = (await control.endpoints.list()).find(({ draft }) => draft.path === 'filled')
  const [execution] = (await history.list({}, { limit: 1 })).items
  const [delivery] = await control.webhooks.deliveries(webhook?.id ?? '')
  await stores.close()
  return {
    names: {
      endpoint: endpoint?.id ?? '',
      execution: execution?.id ?? '',
      webhook: webhook?.id ?? '',
      delivery: delivery?.id ?? '',
    },
    env,
  }
}

/**
 * One call of each command, except `serve`, by its name: each does its work on a folder of `installIn`. The order is one in
 * which they can run one after the other.
 */
export function everyCommand({ root, data }: Place, names: Names): Record<string, readonly string[]> {
  const file = (name: string) => join(root, 'files', name)
  const extract = join(root, 'extract')
  const { endpoint, execution, webhook, delivery } = names
  const of: Readonly<Record<string, readonly string[]>> = {
    ingest: ['--source', extract],
    'ingest --check': ['--source', extract],
    'snapshot list': [],
    'snapshot verify': [],
    'snapshot rollback': [],
    'refresh history': [],
    'refresh hold': ['--reason', 'A look'],
    'refresh resume': [],
    quiet: ['--reason', 'A look'],
    resume: [],
    backup: [join(root, 'new', 'backup')],
    'store migrate': [],
    'store verify': [],
    'secret set': ['Payment', '--keep-value', '--description', 'changed'],
    'secret list': [],
    'secret delete': ['Payment', '--yes'],
    'account create': ['--client', 'C1', '--name', 'New'],
    'account list': [],
    'account rotate': ['Export'],
    'account disable': ['Export'],
    'account enable': ['Export'],
    'account lock': ['Export'],
    'account unlock': ['Export'],
    'account psk': ['Export'],
    'account seal': ['--all', '--yes'],
    'account delete': ['Locked', '--yes'],
    'directory import': [file('directory.csv')],
    'directory export': [],
    'webhook create': ['--account', 'Export', '--url', 'https://example.com/more'],
    'webhook list': [],
    'webhook change': [webhook, '--pause'],
    'webhook rotate-secret': [webhook],
    'webhook test': [webhook],
    'webhook deliveries': [webhook],
    'webhook resend': [webhook, delivery],
    'webhook delete': [webhook, '--yes'],
    'config print': [],
    'token issue': ['--role', 'Administrator'],
    'endpoint list': [],
    'endpoint push': [join(root, 'files'), '--publish'],
    'endpoint pull': [join(root, 'new', 'pulled')],
    'endpoint trial': [file('one.yaml'), '--request', file('sample.json')],
    'endpoint versions': [endpoint],
    'endpoint diff': [endpoint],
    'endpoint restore': [endpoint, '1', '--yes'],
    'execution list': [],
    'execution show': [execution],
    'execution rerun': [execution],
    'execution live': [],
    'execution cancel': [execution],
    'schedule list': [],
    'schedule run': [endpoint, 'nightly'],
    'schedule pause': [endpoint, 'nightly'],
    'schedule resume': [endpoint, 'nightly'],
    'schedule hold': ['--reason', 'A look'],
    'endpoint delete': [endpoint, '--yes'],
    explain: ['--dataset', 'bookings', '--v1', 'CostCentre^EQ^1'],
  }
  const elsewhere: Readonly<Record<string, readonly string[]>> = {
    restore: ['restore', join(root, 'backup'), '--data', join(root, 'new', 'restored')],
    'store copy': ['store', 'copy', '--from', data, '--to', 'postgres://nobody@127.0.0.1:1/none'],
    demo: ['demo', '--out', join(root, 'new', 'demo'), '--bookings', '20'],
    'script run': ['script', 'run', file('alone.jyro')],
    'script check': ['script', 'check', file('alone.jyro')],
    'script format': ['script', 'format', file('alone.jyro')],
    'script docs': ['script', 'docs'],
    completion: ['completion', 'bash'],
  }
  const ofData = Object.entries(of).map(([name, more]) => [
    name,
    [...name.split(' '), ...more, '--data', data],
  ])
  return { ...Object.fromEntries(ofData), ...elsewhere }
}
