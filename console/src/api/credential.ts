/** What a caller proves its identity with. It is in memory only. */
export type Credential = {
  readonly header: 'X-API-Key' | 'Authorization'
  readonly value: string
  /** Is called when the server refuses it, for streams, which are not read by `Api`. */
  readonly onRefused?: () => void
}
