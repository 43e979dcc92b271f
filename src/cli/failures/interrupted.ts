/** Ctrl-C was the answer to a question. A terminal that is read key by key sends no signal, so this ends the command instead. */
export class Interrupted extends Error {
  /** That of a process that Ctrl-C has killed, as shells report it: 128 and the number of SIGINT. */
  static readonly exitCode = 130
}
