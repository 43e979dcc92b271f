/**
 * A part of the application that is loaded when it is first shown. When that fails it throws why, in its place of the page.
 * Browsers remember until a reload that a file could not be loaded, so nothing is asked for while there is no network.
 */
import { type ComponentType, createElement, type ReactNode, use } from 'react'
import { appTexts } from '../../texts/app.ts'

/** Nothing is wrong with the part; without a network it was not even asked for. */
export class PartUnreachable extends Error {
  readonly isOffline: boolean

  constructor(isOffline: boolean, cause?: unknown) {
    super(isOffline ? appTexts.partOffline : appTexts.partUnreachable, { cause })
    this.name = 'PartUnreachable'
    this.isOffline = isOffline
  }
}

type LazyPart<Props> = ((props: Props) => ReactNode) & {
  /** Loads without showing, as when the pointer is over a link. */
  readonly preload: () => Promise<void>
}

const failed = new Set<() => void>()

/** What is shown next is loaded again. */
export function forgetFailedParts(): void {
  for (const forget of failed) forget()
  failed.clear()
}

export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  let part: Promise<ComponentType<Props>> | undefined
  let loaded: ComponentType<Props> | undefined
  const begin = () => (part ??= tryToLoad())
  const tryToLoad = async () => {
    try {
      if (!navigator.onLine) throw new PartUnreachable(true)
      loaded = await load()
      return loaded
    } catch (cause) {
      failed.add(() => {
        part = undefined
      })
      throw cause instanceof PartUnreachable || (await isReachable())
        ? cause
        : new PartUnreachable(false, cause)
    }
  }
  // A promise, even a kept one, would leave the page empty for a moment.
  const Part = (props: Props) => createElement(loaded ?? use(begin()), props)
  const preload = async () => {
    if (navigator.onLine) await begin().catch(() => undefined)
  }
  return Object.assign(Part, { preload })
}

/** Asks for the page itself, which every version of the service has. */
const isReachable = (): Promise<boolean> =>
  fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
