/** What keeps credentials out of the history and the logs: everything recorded of a run goes through here first. */

export const REDACTED = '[redacted]'

export type Redaction = {
  /** From now on this value is replaced wherever it occurs, also as it stands in JSON, in addresses and in base64. */
  readonly hide: (secret: string) => void
  readonly text: (text: string) => string
  /** Credential and signature headers lose their values; the others go through {@link text}. */
  readonly headers: (headers: Readonly<Record<string, string>>) => Record<string, string>
  /** Parameters that are named like credentials lose their values. Keeps the leading `?`. */
  readonly queryString: (queryString: string) => string
  /** Members that are named like credentials lose their values, at any depth. */
  readonly body: (body: string, kind: 'json' | 'form' | 'text') => string
}
