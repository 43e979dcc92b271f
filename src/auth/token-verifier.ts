/** Tokens of callers and operators: the text of an `Authorization` header enters, the user it speaks for leaves. */
import type { User } from '../kernel/user.ts'

export type TokenCheck =
  /** There is no bearer token. */
  | { readonly kind: 'none' }
  | { readonly kind: 'valid'; readonly user: User }
  /** For the log: callers learn only that they are not let in. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** Nobody can tell at the moment: the keys cannot be had. */
  | { readonly kind: 'unknown'; readonly reason: string }

/** Answers at once for a token that was seen before and is still good. */
export type VerifyToken = (authorization: string | undefined) => TokenCheck | Promise<TokenCheck>
