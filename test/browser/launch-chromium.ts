/**
 * Chromium for tests and the bench: the one that TRIPFOLIO_TEST_CHROMIUM names, or that of the npm package, which is unpacked
 * once per installation. It needs Linux on x86-64; elsewhere name a Chromium of your own.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const root = join(import.meta.dirname, '../..')

export async function launchChromium(further: readonly string[] = []): Promise<Browser> {
  const { executablePath, environment } = await findChromium()
  const launch = (env: NodeJS.ProcessEnv) =>
    chromium.launch({
      executablePath,
      // Tests may run as root and in containers, where Chromium's own sandbox cannot start.
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--font-render-hinting=none', ...further],
      env: Object.fromEntries(
        Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ),
    })
  try {
    return await launch(process.env)
  } catch (cause) {
    if (!/shared librar/.test(String(cause))) throw cause
    // The system has no NSS; the package brings one.
    return launch({ ...process.env, ...environment })
  }
}

type Chromium = { readonly executablePath: string; readonly environment: NodeJS.ProcessEnv }

async function findChromium(): Promise<Chromium> {
  const given = process.env.TRIPFOLIO_TEST_CHROMIUM
  if (given) return { executablePath: given, environment: {} }
  const folder = await unpacked()
  return {
    executablePath: join(folder, 'chromium'),
    environment: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_PATH: join(folder, 'fonts') },
  }
}

/** The package unpacks into the folder of temporary files and finds its libraries on one system only, hence the variables. */
async function unpacked(): Promise<string> {
  const manifest = findPackageJSON('@sparticuz/chromium', import.meta.url) as string
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }
  const cache = join(root, 'node_modules/.cache')
  const folder = join(cache, `chromium-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const unpacking = await mkdtemp(join(cache, 'chromium-'))
  try {
    const program = "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())"
    await promisify(execFile)(process.execPath, ['--eval', program], {
      cwd: root,
      env: { ...process.env, TMPDIR: unpacking, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
    })
    // Another process may have been faster.
    await rename(unpacking, folder).catch((cause: NodeJS.ErrnoException) => {
      if (!existsSync(folder)) throw cause
    })
  } finally {
    await rm(unpacking, { recursive: true, force: true })
  }
  return folder
}
