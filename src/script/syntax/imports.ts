/**
 * Imports of modules, in the service dialect:
 *
 *     import = "import" STRING          both on one line
 *
 * `import` is a soft keyword: everywhere else it is an identifier. The string is `name` or `name@version`.
 */
import type { ImportStatement } from './ast.ts'
import { advance, fault, peek, spanFrom, type TokenReader } from './token-reader.ts'

export function atImport(reader: TokenReader): boolean {
  const { token, dialect } = reader
  if (dialect !== 'service' || token.kind !== 'identifier' || token.text !== 'import') return false
  const next = peek(reader)
  return next.kind === 'string' && !next.firstOnLine
}

const REFERENCE = /^([a-z][a-z0-9-]{0,59})(?:@([1-9]\d{0,8}))?$/

/** Accepts `import "fees"`, `import "fees@3"`; refuses `import "Fees"`, `import "fees@0"`. */
export function parseImport(reader: TokenReader): ImportStatement {
  const { start } = advance(reader).span
  const token = advance(reader)
  const written = token.kind === 'string' ? token.value : ''
  const [, name, version] = REFERENCE.exec(written) ?? []
  if (name === undefined) {
    throw fault(
      'A module is imported by its name in small letters, digits and hyphens, and its version if one is meant: "fees" or "fees@3"',
      token.span.start,
    )
  }
  return {
    kind: 'import',
    name: { text: name, span: token.span },
    version: version === undefined ? null : Number(version),
    span: spanFrom(reader, start),
  }
}
