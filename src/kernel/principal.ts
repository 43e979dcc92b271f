/** Who is asking, as authentication found it: the account behind the key and the one client it may read. */
export type Principal = {
  readonly accountId: string
  readonly accountName: string
  readonly clientNumber: string
}
