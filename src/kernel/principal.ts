/** The authenticated caller: the account of the key and the one client that it may read. */
export type Principal = {
  readonly accountId: string
  readonly accountName: string
  readonly clientNumber: string
}
