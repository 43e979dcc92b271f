/** One browser for all tests of a process; each page has a context of its own. */
import { after } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchChromium } from './launch-chromium.ts'

let shared: Promise<Browser> | undefined

// On the level of the file, so that it runs when all tests of the process have ended.
after(async () => (await shared)?.close())

/** What makes tests cheaper, but would change what the bench measures. */
const further = [
  // Without a process that would draw by software all the same.
  ...['--disable-gpu', '--in-process-gpu'],
  // Pages live for seconds: optimized code costs more to make than it saves.
  '--js-flags=--no-opt,--no-maglev',
  // Nothing beyond this machine is asked, such as the fonts of an identity provider.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

export const sharedChromium = (): Promise<Browser> => (shared ??= launchChromium(further))
