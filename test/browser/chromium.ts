/** One browser for all tests of a process; each page has a context of its own. */
import { after } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchChromium } from './launch-chromium.ts'

let shared: Promise<Browser> | undefined

// On the level of the file, so that it runs when all tests of the process have ended.
after(async () => (await shared)?.close())

export const sharedChromium = (): Promise<Browser> => (shared ??= launchChromium())
