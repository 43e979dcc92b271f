/**
 * The signals that ask a process to end in good order. SIGHUP says that its terminal has gone; who starts a process under `nohup`
 * wants it to live on. Node.js resets signals that were ignored at the start, so `bin/tripfolio` tells of it.
 */
const outlivesTerminal = process.env.NOHUP === '1'

export const stopSignals: readonly NodeJS.Signals[] = outlivesTerminal
  ? ['SIGINT', 'SIGTERM']
  : ['SIGINT', 'SIGTERM', 'SIGHUP']

/** For a process as a whole: without it, SIGHUP would end it. */
export function ignoreLostTerminal(): void {
  if (outlivesTerminal) process.on('SIGHUP', () => undefined)
}
