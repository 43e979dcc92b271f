/** Ctrl-C was the answer to a question. A terminal that is read key by key sends no signal, so this ends the command instead. */
export class Interrupted extends Error {}
