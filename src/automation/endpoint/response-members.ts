/** The members of `Data` that a response is made of (`response.ts`). The checker warns of others that a script only writes. */
export const responseMembers: readonly string[] = [
  '_payload',
  '_binary',
  '_statusCode',
  '_redirect',
  '_contentType',
  '_headers',
]
