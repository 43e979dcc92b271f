/**
 * Finds which files the statements of a mapping name, and for which tables they are read: a view may name a file itself, or
 * call a macro or another view that does. Any text of a statement may be the name of a file, or a pattern of names.
 */
import { posix } from 'node:path'
import type { PermittedStatement } from '../guard/permitted-statements.ts'

export type NamedFile = {
  readonly file: string
  /** The tables that are read with the file; none where nothing uses the statement that names it. */
  readonly readBy: readonly string[]
  /** Whether the SQL that reads it says itself which encoding it has. */
  readonly isDecodedBySql: boolean
}

/**
 * @param files paths in the folder of the mapping, with forward slashes
 * @param tables the names of tables that a mapping may supply
 */
export function namedFiles(
  statements: readonly PermittedStatement[],
  files: readonly string[],
  tables: readonly string[],
): readonly NamedFile[] {
  const makers = statements.flatMap(({ makes, texts }) =>
    makes === undefined ? [] : makerOf(makes, texts()),
  )
  const byName = Map.groupBy(makers, ({ name }) => name)
  const used = new Map(tables.map((table) => [table, reachedFrom(byName.get(table) ?? [], byName)]))
  return files.flatMap((file) => {
    const naming = makers.filter((maker) => namesFile(maker, file))
    if (naming.length === 0) return []
    const users = [...used].filter(([, reached]) => naming.some((maker) => reached.has(maker)))
    const involved = users.length === 0 ? naming : users.flatMap(([, reached]) => [...reached])
    return {
      file,
      readBy: users.map(([table]) => table),
      isDecodedBySql: involved.some(({ statesEncoding }) => statesEncoding),
    }
  })
}

/** A statement that makes a view, a table or a macro. */
type Maker = {
  readonly name: string
  readonly words: ReadonlySet<string>
  /** In lower case: some file systems ignore the case of names. */
  readonly names: ReadonlySet<string>
  readonly patterns: readonly string[]
  readonly statesEncoding: boolean
}

function makerOf(makes: string, texts: readonly string[]): Maker {
  const named = texts.flatMap((text) => fileNamed(text) ?? [])
  return {
    name: plainName(makes.replace(/^\w+ (?:.*\.)?/s, '')),
    words: new Set(texts.map(plainName)),
    names: new Set(named),
    patterns: named.filter((text) => /[*?[]/.test(text)),
    // read_csv(..., encoding = 'latin-1'), with any of the signs that give an argument.
    statesEncoding: texts.some(
      (text, at) => plainName(text) === 'encoding' && /^[=:]/.test(texts[at + 1] ?? ''),
    ),
  }
}

/** The statements, and all that they use. */
function reachedFrom(
  makers: readonly Maker[],
  byName: ReadonlyMap<string, readonly Maker[]>,
): ReadonlySet<Maker> {
  const reached = new Set(makers)
  for (const each of reached) {
    for (const word of each.words) for (const other of byName.get(word) ?? []) reached.add(other)
  }
  return reached
}

const plainName = (text: string): string => text.replace(/^"(.*)"$/s, '$1').toLowerCase()

/** The name of a file, or a pattern of names, that a token may be; undefined for one that is no text. */
function fileNamed(token: string): string | undefined {
  const text = /^'(.*)'$/s.exec(token)?.[1]?.replaceAll("''", "'") ?? /^"(.*)"$/s.exec(token)?.[1]
  return text === undefined ? undefined : posix.normalize(text).toLowerCase()
}

function namesFile({ names, patterns }: Maker, file: string): boolean {
  const name = file.toLowerCase()
  return names.has(name) || patterns.some((pattern) => matches(pattern, name))
}

/** `*` stands for any text without a slash, `**` for any text, `?` and `[abc]` for one character. Takes no longer than both lengths multiplied. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.match(/\*\*|\*|\?|\[!?[^\]]+\]|[\s\S]/gu) ?? []
  // Where the name may continue after the parts so far.
  let places = new Set([0])
  for (const part of parts) {
    const next = new Set<number>()
    for (const place of places) {
      if (part === '*' || part === '**') {
        for (let at = place; at <= name.length && !next.has(at); at++) {
          next.add(at)
          if (part === '*' && name[at] === '/') break
        }
      } else if (place < name.length && isOne(part, name.slice(place))) {
        next.add(place + (part.startsWith('[') || part === '?' ? 1 : part.length))
      }
    }
    places = next
  }
  return places.has(name.length)
}

function isOne(part: string, rest: string): boolean {
  const first = rest.charAt(0)
  if (part === '?') return first !== '/'
  const [, not, members] = /^\[(!?)([^\]]+)\]$/s.exec(part) ?? []
  if (members === undefined) return rest.startsWith(part)
  return isMember(members, first) !== (not === '!')
}

/** `[0-9]` has ranges, too. */
const isMember = (members: string, character: string): boolean =>
  [...members.matchAll(/(.)-(.)|./gsu)].some(([one, from, to]) =>
    from === undefined || to === undefined ? one === character : from <= character && character <= to,
  )
