/**
 * The address of the service as the browser sees it, without a slash at its end: below whatever path a proxy offers it. Both
 * pages stand directly below it, and what they show is in the fragment.
 */
export const serviceAddress = (): string => new URL('.', location.href).href.slice(0, -1)
