/** An older store whose tables were brought up to date. */
export type UpgradedStore = {
  /** The path of a file, or server and database. */
  readonly store: string
  /** The last step that it had before. */
  readonly before: string
  /** The file with the store as it was; null on a server, whose operator makes backups. */
  readonly copy: string | null
}
